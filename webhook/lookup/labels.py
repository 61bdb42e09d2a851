"""The node labels that follow from an instance type, so that a selector can be judged before a node exists. Pure.

Sources: Kubernetes' well-known labels, Karpenter's and EKS Auto Mode's documentation of well-known labels, NVIDIA's
GPU feature discovery.
"""

import re
from collections.abc import Iterable
from functools import cache

from webhook.lookup.facts import InstanceType
from webhook.lookup.selectors import Requirement, holds

INSTANCE_TYPE = frozenset({"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"})
GPU_PRODUCT = "nvidia.com/gpu.product"
REGION = ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region")

_ARCH = ("kubernetes.io/arch", "beta.kubernetes.io/arch")
_OS = ("kubernetes.io/os", "beta.kubernetes.io/os")
# Karpenter and EKS Auto Mode give the same labels under prefixes of their own.
_PREFIXES = ("karpenter.k8s.aws/instance-", "eks.amazonaws.com/instance-")
_TRAITS = (
    "category", "family", "generation", "size", "cpu", "memory", "network-bandwidth", "local-nvme",
    "gpu-name", "gpu-manufacturer", "gpu-count", "gpu-memory",
    "accelerator-name", "accelerator-manufacturer", "accelerator-count",
)  # fmt: skip

# Labels whose presence and value the catalogue can tell; about every other label it can say nothing.
JUDGED = frozenset(
    {
        *INSTANCE_TYPE, *_ARCH, *_OS, GPU_PRODUCT, "nvidia.com/gpu.present", "nvidia.com/gpu.count",
        *(prefix + trait for prefix in _PREFIXES for trait in _TRAITS),
    }
)  # fmt: skip

_GPU_MAKERS = frozenset({"nvidia", "amd", "habana"})
_SCHEME = re.compile(r"([a-z]+)(?:-[0-9]+tb)?([0-9]+)?")
_GIGABYTES = re.compile(r"([0-9]+)GB")


@cache
def labels_of(kind: InstanceType) -> dict[str, str]:
    """Returns the judged labels that a node of this type carries, but for the GPU's product name.

    Units are those of the labels: memory in MiB, network bandwidth in Mbit/s (baseline), instance store in GB.
    """
    labels = {prefix + trait: value for trait, value in _traits(kind).items() for prefix in _PREFIXES}
    labels |= dict.fromkeys(INSTANCE_TYPE, kind.name) | dict.fromkeys(_ARCH, kind.arch) | dict.fromkeys(_OS, "linux")
    if kind.accelerator == "nvidia":
        labels |= {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.count": str(kind.gpus)}
    return labels


def may_hold(requirement: Requirement, kind: InstanceType) -> bool:
    """Tells whether a node of this type may satisfy a requirement; True for a label that the type does not decide."""
    if requirement.key == GPU_PRODUCT:
        return _product_may_hold(requirement, kind)
    return requirement.key not in JUDGED or holds(requirement, labels_of(kind))


def all_may_hold(term: Iterable[Requirement], kind: InstanceType) -> bool:
    """Tells whether a node of this type may satisfy every requirement of a term."""
    return all(may_hold(requirement, kind) for requirement in term)


def describes(product: str, kind: InstanceType) -> bool:
    """Tells whether a GPU product label (`NVIDIA-A100-SXM4-40GB`) is that of this type's GPU.

    Every word of EC2's name must be a word of the product's, and where the product tells its memory, that must be the
    GPU's, to within a sixth: products count in GB, rounded, and EC2 in MiB.
    """
    if kind.accelerator != "nvidia" or kind.gpu_name is None:
        return False
    words = frozenset(product.upper().split("-"))
    if not words.issuperset(kind.gpu_name.upper().split()):
        return False
    sizes = [int(found[1]) for word in words if (found := _GIGABYTES.fullmatch(word))]
    return all(abs(size - kind.gpu_memory_gib) <= size / 6 for size in sizes)


def _product_may_hold(requirement: Requirement, kind: InstanceType) -> bool:
    described = any(describes(value, kind) for value in requirement.values)
    match requirement.operator:
        case "In":
            return described
        case "NotIn":
            return not described
        case "Exists":
            return kind.accelerator == "nvidia"
        case "DoesNotExist":
            return kind.accelerator != "nvidia"
        case _:
            return True


def _traits(kind: InstanceType) -> dict[str, str]:
    """Returns what Karpenter derives from a type, by the ends of its labels."""
    family, _, size = kind.name.partition(".")
    traits = {
        "family": family,
        "size": size,
        "cpu": str(kind.vcpus),
        "memory": str(round(kind.memory_gib * 1024)),
        "network-bandwidth": str(round(kind.network_baseline_gbps * 1000)),
    }
    if found := _SCHEME.match(family):
        traits["category"] = found[1]
        if found[2]:
            traits["generation"] = found[2]
    if kind.local_nvme_gb:
        traits["local-nvme"] = str(kind.local_nvme_gb)
    if kind.accelerator and kind.gpu_name:
        group = "gpu" if kind.accelerator in _GPU_MAKERS else "accelerator"
        traits[f"{group}-name"] = kind.gpu_name.lower().replace(" ", "-")
        traits[f"{group}-manufacturer"] = kind.accelerator
        traits[f"{group}-count"] = str(kind.gpus)
    if kind.accelerator in _GPU_MAKERS:
        traits["gpu-memory"] = str(round(kind.gpu_memory_gib * 1024))
    return traits
