"""What the look-ups found: plain facts, with no client behind them.

A look-up that failed or was too slow is an `Unknown`, which carries the reason as a value; the plan leaves out what
hangs on it.
"""

from enum import StrEnum

import msgspec

from webhook.reasons import Reason

# The load format in which each rank has files of its own.
SHARDED_FORMAT = "runai_streamer_sharded"


class Unknown(msgspec.Struct, frozen=True):
    """A look-up with no answer, and why."""

    reason: Reason


class Shards(msgspec.Struct, frozen=True, kw_only=True):
    """The safetensors files that the streamer itself would list under the model's prefix.

    Sizes are in bytes. `consolidated_bytes` counts a consolidated*.safetensors beside shards, which is read as well.
    """

    count: int
    total_bytes: int
    largest_bytes: int
    # Files of the sharded format (model-rank-N-part-M) that one rank reads, at most; None for ordinary shards.
    rank_count: int | None = None
    rank_bytes: int | None = None
    ranks: int | None = None
    consolidated_bytes: int = 0
    # Region of the bucket; None where it is not AWS or not known.
    bucket_region: str | None = None
    # True where an annotation or a flag gave the figures instead of S3.
    declared: bool = False


class InstanceType(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One EC2 instance type, as DescribeInstanceTypes tells it, and NVLink, which it does not.

    Encoded as an array, which keeps the catalogue's file small: the order of the fields is the order in that file.
    """

    name: str
    vcpus: int
    memory_gib: float
    # Accelerators that a pod can ask for: GPUs, shares of a GPU on the types without a whole one, Neuron devices.
    gpus: int
    gpu_name: str | None
    gpu_memory_gib: float
    # Gbit/s of all network cards together: what is always there, without what may be there for a while.
    network_baseline_gbps: float
    local_nvme_gb: int
    nvlink: bool
    accelerator: str | None = None  # "nvidia", "amd", "aws" (Neuron), "habana", "qualcomm"; None without one
    arch: str = "amd64"  # as the label kubernetes.io/arch spells it: "amd64", "arm64"
    # Gbit/s, baseline, of the first network card alone: all that a pod with one network interface can use.
    network_card_gbps: float = 0.0


class Source(StrEnum):
    """How the set of candidate instance types was found, most certain first."""

    ANNOTATION = "annotation"
    FLAG = "flag"  # of a preview, which stands for the annotation
    NODE_NAME = "node-name"
    NODE_SELECTOR = "node-selector"
    NODE_AFFINITY = "node-affinity"
    KARPENTER = "karpenter"  # karpenter.k8s.aws/* and node.kubernetes.io/* labels narrow the catalogue
    NODE_POOLS = "node-pools"
    NODES = "nodes"
    CATALOGUE = "catalogue"  # nothing known: every type with the GPUs the pod asks for, and none where it asks for none


class Candidates(msgspec.Struct, frozen=True, kw_only=True):
    """The instance types that a pod may land on, by name in order, and how they were found.

    `types` is empty where the pod may land on a type that the catalogue does not have (`missing` names it, where it has
    a name), since the worst case cannot be told then; or where no type matches what the pod and its nodes ask for.
    """

    types: tuple[InstanceType, ...]
    source: Source
    # Instance types that the pod may land on and the catalogue does not have.
    missing: tuple[str, ...] = ()
    # Regions of the nodes, where known, to compare with the bucket's.
    regions: frozenset[str] = frozenset()
    # The pod can land on no EC2 node at all (Fargate).
    fargate: bool = False


class PodSecurity(StrEnum):
    """Levels of Pod Security admission, as the namespace enforces them."""

    PRIVILEGED = "privileged"
    BASELINE = "baseline"
    RESTRICTED = "restricted"


class Namespace(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the pod's namespace."""

    name: str
    opted_in: bool = False
    pod_security: PodSecurity = PodSecurity.PRIVILEGED


class World(msgspec.Struct, frozen=True, kw_only=True):
    """All that the look-ups found for one pod.

    `shards` is None where the weights do not come from object storage, so nothing was looked up.
    """

    shards: Shards | Unknown | None
    candidates: Candidates
    namespace: Namespace | Unknown
