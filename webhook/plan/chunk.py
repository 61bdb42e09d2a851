"""The published chunk size of 4 GiB: right for the streamer it was published for, and costly in newer ones."""

import msgspec

from webhook.plan.inflight import GIB, Files, Knobs, sustained_in_flight
from webhook.plan.names import CHUNK
from webhook.plan.reading import Reading
from webhook.plan.settings import ChunkPolicy
from webhook.plan.subject import Subject
from webhook.plan.units import counted, each_of, gib
from webhook.plan.versions import Family, Version, spell
from webhook.reasons import Code, Reason, because

PUBLISHED_CHUNK = 4 * GIB
# The published case counts as whole chunks: 67 GiB over 17 workers are 3.94 GiB each.
_WHOLE = 0.9
_NEWER: Version = (0, 16, 0)


class Chunk(msgspec.Struct, frozen=True):
    """The chunk size to set in bytes, None where it is left alone; and why (None where the look-up says it)."""

    value: int | None
    reason: Reason | None


def choose_chunk(subject: Subject, reading: Reading, version: Version | None, knobs: Knobs, untouched: Knobs) -> Chunk:
    """Chooses the chunk size for the workers and the buffer in `knobs`."""
    if CHUNK in subject.env:
        return Chunk(None, because(Code.USER_SET, names=CHUNK))
    annotated = subject.facts.annotations.chunk_bytes
    if annotated is not None:
        return Chunk(annotated, because(Code.CHOSEN_BY_ANNOTATION, annotation=subject.annotation("chunk-size")))
    against = _version_against(subject, reading, version)
    if against is not None or reading.files is None or reading.shards is None:
        return Chunk(None, against)
    if knobs.concurrency > reading.shards or reading.files.total_bytes < _WHOLE * PUBLISHED_CHUNK * knobs.concurrency:
        small = because(
            Code.CHUNK_SMALL_SHARDS,
            gib=gib(reading.files.total_bytes),
            files=counted(reading.shards, "shard file"),
            workers=each_of(knobs.concurrency, "worker"),
        )
        return Chunk(None, small)
    if not _keeps_up(knobs, untouched, reading.files):
        return Chunk(None, because(Code.CHUNK_SMALL_BUFFER, gib=gib(knobs.memory_limit)))
    return Chunk(PUBLISHED_CHUNK, because(Code.CHUNK_PUBLISHED, workers=each_of(knobs.concurrency, "worker")))


def _version_against(subject: Subject, reading: Reading, version: Version | None) -> Reason | None:
    policy = subject.settings.chunk
    if reading.scheme != "s3":
        return because(Code.CHUNK_NOT_S3, scheme=reading.scheme)
    if policy is ChunkPolicy.OFF:
        return because(Code.CHUNK_OFF)
    if policy is ChunkPolicy.PUBLISHED:
        return None
    if version is None:
        return because(Code.CHUNK_VERSION_UNKNOWN, annotation=subject.annotation("streamer-version"))
    return because(Code.CHUNK_NEWER_STREAMER, version=spell(version)) if version >= _NEWER else None


def _keeps_up(knobs: Knobs, untouched: Knobs, files: Files) -> bool:
    """Whether as many requests stay in flight as untouched, in the streamers that the chunk size was published for.

    No fewer than the streamer's defaults give, either: on a later pass, what we set counts as the user's.
    """
    published = msgspec.structs.replace(knobs, chunk_bytes=PUBLISHED_CHUNK)
    in_flight = sustained_in_flight(Family.UNBOUNDED, published, files)
    return all(in_flight >= sustained_in_flight(Family.UNBOUNDED, before, files) for before in (Knobs(), untouched))
