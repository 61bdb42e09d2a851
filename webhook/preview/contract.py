"""What a preview says of each pod: the fields of `fastload preview -o json`, in their order.

These names are an interface: scripts and the page read them.
"""

from typing import Any

import msgspec

from webhook.lookup.facts import Shards, Unknown
from webhook.patch.operation import Operation
from webhook.pipeline import Tuned
from webhook.plan.estimate_types import Estimate
from webhook.plan.types import Status, Verdict
from webhook.pod.facts import Engine
from webhook.preview.documents import Document
from webhook.preview.notes import Remark
from webhook.preview.parts import Parts, parts_of
from webhook.reasons import Counsel, Reason


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where a pod template was met."""

    file: str
    document: int  # from 1, within the file
    kind: str
    name: str | None
    path: str  # JSON pointer to the template within the document; "" for a pod


class ShardFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The model's shard files; sizes in bytes."""

    count: int
    bytes: int
    largest_bytes: int


class EnvSetting(msgspec.Struct, frozen=True):
    """One environment variable that is set, and the sentence that says why."""

    name: str
    value: str
    reason: str


class PodPreview(msgspec.Struct, frozen=True, kw_only=True):
    """The decision about one pod template."""

    source: Source
    opted_in: bool
    status: Status
    engine: Engine
    container: str | None
    model: str | None
    load_format: str | None
    tensor_parallel_size: int | None
    pipeline_parallel_size: int | None
    data_parallel_size: int | None
    streamer: Verdict
    retry: Verdict
    cache: Verdict
    # The same in more words, as a verdict does not say whether there was anything to set.
    parts: Parts
    already_tuned: bool
    shards: ShardFiles | None
    instance_types: tuple[str, ...]
    settings: tuple[EnvSetting, ...]
    reasons: tuple[Reason, ...]
    advice: tuple[Counsel, ...]
    # What the start takes, today and with fastload; None where nothing can be said.
    estimate: Estimate | None
    # Relative to the whole document as it was given.
    patch: tuple[Operation, ...]
    # The whole document with this entry's patch applied; absent where it was not wanted.
    patched: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class Preview(msgspec.Struct, frozen=True):
    """Every pod template met, in the order of the input, and what there is to say beside."""

    pods: tuple[PodPreview, ...]
    notes: tuple[Remark, ...]

    def without_patched(self) -> "Preview":
        """Returns the preview without the documents, whose patches tell the same."""
        pods = tuple(msgspec.structs.replace(pod, patched=msgspec.UNSET) for pod in self.pods)
        return Preview(pods, self.notes)


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A pod's way through, and where in which document the pod stands."""

    document: Document
    source: Source
    tuned: Tuned
    estimate: Estimate | None
    patch: tuple[Operation, ...]
    patched: dict[str, Any]
    already_tuned: bool
    # Annotations of the workload itself, where nothing reads them.
    misplaced: tuple[Reason, ...] = ()

    @property
    def opted_in(self) -> bool:
        """Whether a review would act: the pod's own word, else its namespace's."""
        if self.tuned.facts.annotations.inject is not None:
            return self.tuned.facts.annotations.inject
        namespace = self.tuned.world.namespace
        return not isinstance(namespace, Unknown) and namespace.opted_in


def describe(placed: Placed) -> PodPreview:
    """Puts one pod's way through into the contract's words."""
    facts, world, plan = placed.tuned.facts, placed.tuned.world, placed.tuned.plan
    launch, container = facts.launch, facts.container
    return PodPreview(
        source=placed.source,
        opted_in=placed.opted_in,
        status=plan.status,
        engine=launch.engine if launch else Engine.NONE,
        container=container.name if container else None,
        model=launch.model if launch else None,
        load_format=launch.load_format if launch else None,
        tensor_parallel_size=launch.tensor_parallel_size if launch else None,
        pipeline_parallel_size=launch.pipeline_parallel_size if launch else None,
        data_parallel_size=launch.data_parallel_size if launch else None,
        streamer=plan.streamer,
        retry=plan.retry,
        cache=plan.cache,
        parts=parts_of(placed.tuned, already=placed.already_tuned),
        already_tuned=placed.already_tuned,
        shards=_shard_files(world.shards),
        instance_types=tuple(kind.name for kind in world.candidates.types),
        settings=tuple(EnvSetting(each.name, each.value, each.reason.text) for each in plan.settings),
        reasons=(*placed.misplaced, *plan.reasons),
        advice=plan.advice,
        estimate=placed.estimate,
        patch=placed.patch,
        patched=placed.patched,
    )


def _shard_files(shards: Shards | Unknown | None) -> ShardFiles | None:
    if not isinstance(shards, Shards):
        return None
    return ShardFiles(count=shards.count, bytes=shards.total_bytes, largest_bytes=shards.largest_bytes)
