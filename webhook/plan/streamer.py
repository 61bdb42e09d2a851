"""The streamer's settings for one pod: workers first, then memory, then the chunk size for what came out."""

import msgspec

from webhook.plan.chunk import choose_chunk
from webhook.plan.concurrency import choose_workers
from webhook.plan.inflight import Knobs
from webhook.plan.memory import buffer_of, fit_memory
from webhook.plan.names import CHUNK, CONCURRENCY, MEMORY_LIMIT
from webhook.plan.network import Network
from webhook.plan.reading import Reading
from webhook.plan.subject import Subject
from webhook.plan.types import Setting
from webhook.plan.untouched import untouched_knobs
from webhook.reasons import Reason


class Streaming(msgspec.Struct, frozen=True):
    """How a rank reads once the settings are in force.

    `reasons` says why a name was left alone; a setting carries its own. `wanted_bytes` is the container's memory limit
    that would do, where the one it has is too small.
    """

    knobs: Knobs
    settings: tuple[Setting, ...] = ()
    reasons: tuple[Reason, ...] = ()
    wanted_bytes: int | None = None


def leave_streamer(subject: Subject, reading: Reading) -> Streaming:
    """Returns how a rank reads when the streamer's settings are left alone."""
    return Streaming(_before(untouched_knobs(subject), reading))


def tune_streamer(subject: Subject, reading: Reading, network: Network | None) -> Streaming:
    """Chooses concurrency, memory limit and chunk size."""
    untouched = untouched_knobs(subject)
    wanted = choose_workers(subject, reading, network, untouched)
    memory = fit_memory(subject, reading, wanted, untouched)
    workers = memory.workers
    knobs = msgspec.structs.replace(
        untouched,
        concurrency=workers.value if workers.ours or workers.named else untouched.concurrency,
        memory_limit=memory.buffer_bytes,
    )
    chunk = choose_chunk(subject, reading, knobs, _before(untouched, reading))
    if chunk.value is not None:
        knobs = msgspec.structs.replace(knobs, chunk_bytes=chunk.value)
    chosen = (
        (CHUNK, chunk.value, chunk.reason),
        (CONCURRENCY, workers.value if workers.named else None, workers.reason),
        (MEMORY_LIMIT, memory.limit.value, memory.limit.reason),
    )
    return Streaming(
        knobs,
        tuple(Setting(name, str(value), why) for name, value, why in chosen if value is not None and why is not None),
        tuple(why for _, value, why in chosen if value is None and why is not None),
        memory.wanted_bytes,
    )


def _before(untouched: Knobs, reading: Reading) -> Knobs:
    """The knobs with the buffer of one rank in place of the limit as it is written."""
    return msgspec.structs.replace(untouched, memory_limit=buffer_of(reading, untouched.memory_limit))
