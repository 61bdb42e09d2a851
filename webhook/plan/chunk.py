"""The chunk size: the streamer's own, unless somebody asks for another.

A larger chunk makes fewer requests at once, not larger ones (docs/tuning.md), so no version gains by it.
"""

import msgspec

from webhook.plan.inflight import GIB, Files, Knobs, sustained_in_flight
from webhook.plan.names import CHUNK
from webhook.plan.reading import Reading
from webhook.plan.settings import ChunkPolicy
from webhook.plan.subject import Subject
from webhook.plan.units import counted, each_of, gib
from webhook.plan.versions import Family
from webhook.reasons import Code, Reason, because

_PUBLISHED = 4 * GIB
# The published case counts as whole chunks: 67 GiB over 17 workers are 3.94 GiB each.
_WHOLE = 0.9


class Chunk(msgspec.Struct, frozen=True):
    """The chunk size to set in bytes, None where it is left alone; and why (None where the look-up says it)."""

    value: int | None
    reason: Reason | None


def choose_chunk(subject: Subject, reading: Reading, knobs: Knobs, untouched: Knobs) -> Chunk:
    """Chooses the chunk size for the workers and the buffer in `knobs`."""
    if CHUNK in subject.env:
        return Chunk(None, because(Code.USER_SET, names=CHUNK))
    annotated = subject.facts.annotations.chunk_bytes
    if annotated is not None:
        return Chunk(annotated, because(Code.CHOSEN_BY_ANNOTATION, annotation=subject.annotation("chunk-size")))
    if subject.settings.chunk is not ChunkPolicy.PUBLISHED:
        return Chunk(None, because(Code.CHUNK_DEFAULT))
    return _published(reading, knobs, untouched)


def _published(reading: Reading, knobs: Knobs, untouched: Knobs) -> Chunk:
    """The published chunk size, which the operator asks for, where it is no loss to the streamers of its time."""
    if reading.scheme != "s3":
        return Chunk(None, because(Code.CHUNK_NOT_S3, scheme=reading.scheme))
    if reading.files is None or reading.shards is None:
        return Chunk(None, None)
    if knobs.concurrency > reading.shards or reading.files.total_bytes < _WHOLE * _PUBLISHED * knobs.concurrency:
        small = because(
            Code.CHUNK_SMALL_SHARDS,
            gib=gib(reading.files.total_bytes),
            files=counted(reading.shards, "shard file"),
            workers=each_of(knobs.concurrency, "worker"),
        )
        return Chunk(None, small)
    if not _keeps_up(knobs, untouched, reading.files):
        return Chunk(None, because(Code.CHUNK_SMALL_BUFFER, gib=gib(knobs.memory_limit)))
    return Chunk(_PUBLISHED, because(Code.CHUNK_PUBLISHED, workers=each_of(knobs.concurrency, "worker")))


def _keeps_up(knobs: Knobs, untouched: Knobs, files: Files) -> bool:
    """Whether as many requests stay in flight as untouched, in the streamers that the chunk size was published for.

    No fewer than the streamer's defaults give, either: on a later pass, what we set counts as the user's.
    """
    published = msgspec.structs.replace(knobs, chunk_bytes=_PUBLISHED)
    in_flight = sustained_in_flight(Family.UNBOUNDED, published, files)
    return all(in_flight >= sustained_in_flight(Family.UNBOUNDED, before, files) for before in (Knobs(), untouched))
