"""What would help further and is the user's to decide: said in the answer, never applied."""

from collections.abc import Iterator
from math import ceil

import msgspec

from webhook.lookup.facts import Shards, Source
from webhook.plan.cache_user import names_on_fleeting_volumes
from webhook.plan.compile_cache import Cache
from webhook.plan.inflight import MIB
from webhook.plan.network import Network
from webhook.plan.reading import Reading
from webhook.plan.subject import Subject
from webhook.plan.types import HostPathVolume, Verdict
from webhook.plan.units import gib
from webhook.pod.facts import Engine
from webhook.pod.view import EnvVar
from webhook.reasons import Advice, Counsel, advise

# A plausible start beside the weights: compiling takes 34 to 53 s and initialising the engine 60 to 120 s without a
# warm cache (AWS containers blog, 'Fast model loading for AI inference on Amazon EKS'); the middle of both.
_COMPILE_AND_INITIALISE_SECONDS = 133
_PROBE_PERIOD_SECONDS = 10
# Room that an advised probe leaves over the plausible start.
_PROBE_HEADROOM = 1.25
# What one rank reads in a second untouched, at the least of the published cases: 203 GB in 423 s.
_RANK_BYTES_PER_SECOND = 480 * MIB
# What differs from pod to pod (Kubernetes API, downward API fields).
_PER_POD = frozenset(
    {"status.podIP", "status.podIPs", "status.hostIP", "metadata.name", "metadata.uid", "spec.nodeName"}
)
# Names that no vLLM from 0.10 on puts into its compile hash (its sources; `make contract` looks at the newest).
HASH_IGNORES = frozenset(
    {
        *("VLLM_CACHE_ROOT", "VLLM_ASSETS_CACHE", "VLLM_ENABLE_STARTUP_PLAN"),
        *("VLLM_HOST_IP", "VLLM_DP_MASTER_IP", "VLLM_RPC_BASE_PATH", "VLLM_LOGGING_PREFIX"),
    }
)
# How a pod tells the cluster-autoscaler that its node may go although the pod has folders of it (its FAQ).
_EVICTABLE_VOLUMES = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
_EVICTION = frozenset({_EVICTABLE_VOLUMES, "cluster-autoscaler.kubernetes.io/safe-to-evict"})
_KARPENTERS = frozenset({Source.KARPENTER, Source.NODE_POOLS})
_MOVING_TAGS = ("latest", "nightly", "main", "dev")


class Streamed(msgspec.Struct, frozen=True):
    """What is known of a model that comes through the streamer."""

    reading: Reading
    network: Network | None
    # The container's memory limit that would do, where the one it has is too small.
    wanted_bytes: int | None


def counsel(subject: Subject, streamed: Streamed | None, cache: Cache) -> Iterator[Counsel]:
    """Yields the advice for this pod, in a fixed order."""
    if streamed is not None:
        yield from _on_reading(subject, streamed)
    yield from _on_cache(subject, cache)
    image = subject.container.image
    if image is not None and _moves(image):
        yield advise(Advice.UNPINNED_IMAGE, image=image)
    keeps = cache.verdict is not Verdict.SKIP and subject.launch.engine is Engine.VLLM
    if keeps and "VLLM_ENABLE_STARTUP_PLAN" not in subject.env:
        yield advise(Advice.STARTUP_PLAN)


def _on_reading(subject: Subject, streamed: Streamed) -> Iterator[Counsel]:
    reading, network = streamed.reading, streamed.network
    if reading.files is not None and network is not None and _would_share(subject, reading):
        size = gib(reading.ranks * reading.files.total_bytes)
        yield advise(Advice.DISTRIBUTED, ranks=reading.ranks, gib=size, gbps=f"{network.gbps:g}")
    loader = subject.launch.loader
    keys = [key for key in ("concurrency", "memory_limit") if getattr(loader, key) is not None]
    if keys:
        yield advise(Advice.LOADER_CONFIG, keys=" and ".join(keys))
    if streamed.wanted_bytes is not None:
        limit = gib(subject.container.memory_limit_bytes or 0)
        yield advise(Advice.MEMORY_HEADROOM, gib=-(-streamed.wanted_bytes // (1 << 30)), limit=limit)
    if isinstance(subject.world.shards, Shards):
        yield from _on_shards(subject, subject.world.shards, streamed)


def _on_shards(subject: Subject, shards: Shards, streamed: Streamed) -> Iterator[Counsel]:
    regions = subject.world.candidates.regions
    if shards.bucket_region is not None and regions and shards.bucket_region not in regions:
        yield advise(Advice.BUCKET_REGION, bucket_region=shards.bucket_region, regions=", ".join(sorted(regions)))
    # SGLang goes by the checkpoint's index, which does not name such a file (its source).
    if shards.consolidated_bytes and subject.launch.engine is Engine.VLLM:
        yield advise(Advice.CONSOLIDATED_FILE, gib=gib(shards.consolidated_bytes))
    budget = subject.container.start_budget_seconds
    if budget is not None and budget < (seconds := _plausible_seconds(streamed)):
        failures = ceil(seconds * _PROBE_HEADROOM / _PROBE_PERIOD_SECONDS)
        yield advise(Advice.STARTUP_PROBE, budget=budget, seconds=seconds, failures=failures)


def _on_cache(subject: Subject, cache: Cache) -> Iterator[Counsel]:
    if subject.launch.eager:
        yield advise(Advice.ENFORCE_EAGER)
    if cache.verdict is Verdict.SKIP:
        return
    on_node = cache.volume is not None and isinstance(cache.volume.source, HostPathVolume)
    if on_node and not _autoscaler_knows(subject):
        yield advise(Advice.SCALE_DOWN, annotation=_EVICTABLE_VOLUMES)
    fleeting = names_on_fleeting_volumes(subject.launch.engine, subject.container)
    if fleeting:
        yield advise(Advice.CACHE_ON_EMPTY_DIR, names=", ".join(fleeting))
    if subject.launch.engine is Engine.VLLM:
        names = per_pod_names(subject)
        if names:
            yield advise(Advice.PER_POD_ENV, names=", ".join(names))


def _autoscaler_knows(subject: Subject) -> bool:
    """Whether our volume makes no difference: Karpenter starts the node, the pod says so, or others hold it."""
    view = subject.facts.view
    annotations = (view.metadata.annotations if view.metadata else None) or {}
    volumes = (view.spec.volumes if view.spec else None) or ()
    local = any(each.host_path or (each.empty_dir and each.empty_dir.medium != "Memory") for each in volumes)
    return local or subject.world.candidates.source in _KARPENTERS or not _EVICTION.isdisjoint(annotations)


def per_pod_names(subject: Subject) -> list[str]:
    """Returns the VLLM_ names whose value the downward API makes different in every pod."""
    suspects = [
        name
        for name, value in subject.env.values.items()
        if value is None and name.startswith("VLLM_") and name not in HASH_IGNORES
    ]
    if not suspects:
        return []
    entries = subject.view.env if subject.view else None
    sources = {entry.name for entry in entries or () if _differs(entry)}
    through = {
        entry.name for entry in entries or () if any(f"$({source})" in (entry.value or "") for source in sources)
    }
    return [name for name in suspects if name in sources or name in through]


def _differs(entry: EnvVar) -> bool:
    field = entry.value_from.field_ref if entry.value_from else None
    return field is not None and field.get("fieldPath") in _PER_POD


def _would_share(subject: Subject, reading: Reading) -> bool:
    """Whether several ranks of vLLM each read the whole model over one link, on GPUs that no NVLink joins."""
    return (
        subject.launch.engine is Engine.VLLM
        and reading.ranks > 1
        and reading.whole
        and not any(each.nvlink for each in subject.world.candidates.types)
    )


def _plausible_seconds(streamed: Streamed) -> int:
    total = streamed.reading.files.total_bytes if streamed.reading.files else 0
    seconds = total / _RANK_BYTES_PER_SECOND
    if streamed.network is not None:
        seconds = max(seconds, streamed.reading.ranks * total / streamed.network.share)
    return _COMPILE_AND_INITIALISE_SECONDS + int(seconds)


def _moves(image: str) -> bool:
    """Whether the image's name leads to another image tomorrow: no digest, and no tag or a moving one."""
    if "@" in image:
        return False
    tag = image.rpartition("/")[2].partition(":")[2]
    return not tag or tag.startswith(_MOVING_TAGS)
