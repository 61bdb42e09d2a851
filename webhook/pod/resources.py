"""What the engine's container asks for and where it may write: GPUs, memory, mounts, user, start-up time."""

from collections.abc import Mapping

from webhook.pod.facts import Mount, User, VolumeKind
from webhook.pod.quantity import quantity_or_none
from webhook.pod.view import Container, PodSpec, Probe, Quantity, Resources, SecurityContext, Volume

# Extended resources that are whole accelerators, or slices of them as NVIDIA's device plugin names them.
_GPU_RESOURCES = frozenset(
    {
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "amd.com/gpu",
        "gpu.intel.com/i915",
        "gpu.intel.com/xe",
        "habana.ai/gaudi",
        "aws.amazon.com/neuron",
        "aws.amazon.com/neuroncore",
        "aws.amazon.com/neurondevice",
        "google.com/tpu",
    }
)
_MIG_PREFIX = "nvidia.com/mig-"


def gpus_of(resources: Resources | None) -> tuple[int | None, str | None]:
    """The number of GPUs asked for, and under which resource; limits win over requests, as for the scheduler.

    The number is None where a dynamic resource claim, or a GPU under a name of the cluster's own, may bring some, and 0
    where nothing asks for any.
    """
    if resources is None:
        return 0, None
    unlisted = False
    for listed in (resources.limits, resources.requests):
        for name, quantity in (listed or {}).items():
            known = name in _GPU_RESOURCES or name.startswith(_MIG_PREFIX)
            unlisted |= not known and "gpu" in name
            count = quantity_or_none(quantity) if known else None
            if count:
                return count, name
    return (None if resources.claims or unlisted else 0), None


def memory_limit_of(container: Container, spec: PodSpec) -> int | None:
    """The container's memory limit in bytes: its own or the whole pod's, whichever is less."""
    both = (_memory_limit(container.resources), _memory_limit(spec.resources))
    return min((limit for limit in both if limit), default=None)


def _memory_limit(resources: Resources | None) -> int | None:
    limits: Mapping[str, Quantity | None] = (resources.limits if resources is not None else None) or {}
    return quantity_or_none(limits.get("memory"))


def mounts_of(container: Container, spec: PodSpec) -> tuple[Mount, ...]:
    """The volumes mounted in a container, with their kinds; a raw device takes its path as a mount does."""
    volumes = {volume.name: volume for volume in spec.volumes or ()}
    mounts = []
    for mount in container.volume_mounts or ():
        volume = volumes.get(mount.name)
        kind = _kind(volume) if volume is not None else VolumeKind.OTHER
        size = None
        if kind is VolumeKind.MEMORY and volume is not None and volume.empty_dir is not None:
            size = quantity_or_none(volume.empty_dir.size_limit)
        mounts.append(Mount(mount.mount_path, mount.name, kind, bool(mount.read_only), size))
    devices = (Mount(each.device_path, each.name, VolumeKind.OTHER) for each in container.volume_devices or ())
    return (*mounts, *devices)


def _kind(volume: Volume) -> VolumeKind:
    if volume.empty_dir is not None:
        return VolumeKind.MEMORY if volume.empty_dir.medium == "Memory" else VolumeKind.EMPTY_DIR
    if volume.host_path is not None:
        return VolumeKind.HOST_PATH
    if volume.persistent_volume_claim is not None:
        return VolumeKind.PVC
    return VolumeKind.EPHEMERAL if volume.ephemeral is not None else VolumeKind.OTHER


def user_of(container: Container, spec: PodSpec) -> User:
    """Who the engine runs as: the container's security context over the pod's."""
    pod = spec.security_context or SecurityContext()
    own = container.security_context or SecurityContext()
    return User(
        uid=own.run_as_user if own.run_as_user is not None else pod.run_as_user,
        gid=own.run_as_group if own.run_as_group is not None else pod.run_as_group,
        fs_group=pod.fs_group,
        non_root=own.run_as_non_root if own.run_as_non_root is not None else pod.run_as_non_root,
        read_only_root=bool(own.read_only_root_filesystem),
    )


def start_budget_of(container: Container) -> int | None:
    """Seconds after which a probe restarts a container that has not started; None without such a probe.

    A liveness probe counts only where no start-up probe holds it back. Defaults are the API's: every 10 s, 3 failures.
    """
    probe: Probe | None = container.startup_probe or container.liveness_probe
    if probe is None:
        return None
    return (probe.initial_delay_seconds or 0) + (probe.period_seconds or 10) * (probe.failure_threshold or 3)
