"""What the look-ups found: plain facts, with no client behind them.

A look-up that failed or was too slow is an `Unknown`, which carries the reason as a value; the plan leaves out what
hangs on it.
"""

from enum import StrEnum

import msgspec

from webhook.reasons import Reason


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


class InstanceType(msgspec.Struct, frozen=True, kw_only=True):
    """One EC2 instance type, as DescribeInstanceTypes tells it, and NVLink, which it does not."""

    name: str
    vcpus: int
    memory_gib: float
    gpus: int
    gpu_name: str | None
    gpu_memory_gib: float
    # Gbit/s of all network cards together: what is always there, and what may be there for a while.
    network_baseline_gbps: float
    network_peak_gbps: float
    local_nvme_gb: int
    nvlink: bool
    accelerator: str | None = None  # "nvidia", "amd", "aws" (Neuron), "habana"; None without one


class Source(StrEnum):
    """How the set of candidate instance types was found, most certain first."""

    ANNOTATION = "annotation"
    NODE_NAME = "node-name"
    NODE_SELECTOR = "node-selector"
    NODE_AFFINITY = "node-affinity"
    KARPENTER = "karpenter"  # karpenter.k8s.aws/* and node.kubernetes.io/* labels narrow the catalogue
    NODE_POOLS = "node-pools"
    NODES = "nodes"
    CATALOGUE = "catalogue"  # nothing known: every type with the GPUs the pod asks for


class Candidates(msgspec.Struct, frozen=True, kw_only=True):
    """The instance types that a pod may land on, by name in order, and how they were found.

    `types` is empty where an annotation names a type that the catalogue does not have, or nothing matches.
    """

    types: tuple[InstanceType, ...]
    source: Source
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
