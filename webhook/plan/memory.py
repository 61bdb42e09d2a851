"""Whether the streamer's buffers fit the container's memory, and what to give them where they do not.

A process holds its buffer, and besides it every request in flight (measured: the requests' bytes and 20 to 40 MiB; the
rest of the allowance is inferred). Going over the limit ends the engine without a traceback.
"""

import msgspec

from webhook.plan.concurrency import Workers, for_small_buffer
from webhook.plan.inflight import DEFAULT_CONCURRENCY, DEFAULT_MEMORY_LIMIT, GIB, MIB, Knobs, client_cap
from webhook.plan.names import MEMORY_LIMIT
from webhook.plan.reading import Reading
from webhook.plan.subject import Subject
from webhook.plan.units import counted, each_of, gib, mib
from webhook.plan.untouched import unreadable_loader
from webhook.plan.versions import ALL_FAMILIES
from webhook.pod.facts import EngineContainer, VolumeKind
from webhook.reasons import Code, Reason, because

# Allowances for the engine itself, inferred: Python and torch alone take 0.6 GiB (measured); each rank adds its CUDA
# context and pinned buffers. In a small container the engine has to do with half.
_ENGINE = 6 * GIB
_ENGINE_PER_RANK = 2 * GIB
# A Memory-backed emptyDir without a sizeLimit: what NCCL and the engine's message queues put in /dev/shm (inferred).
_UNSIZED_VOLUME = 1 * GIB
# One request in flight holds one part (measured; the part is the streamer's default).
_REQUEST = 8 * MIB
# What a process holds besides its buffer and its requests (inferred).
_PROCESS = 300 * MIB
# No tensor is larger than its file, and few are larger than this: the embedding of a 405B model in bfloat16 is 3.9 GiB.
# A buffer under the largest tensor fails the load at once (the streamer's source).
_LARGEST_TENSOR = 4 * GIB
# The largest tensor of any model worth serving is at least this: the embedding of OPT-125M takes 74 MiB.
_LEAST_TENSOR = 64 * MIB
# A number of workers that is no bound.
_ANY_NUMBER = 1 << 30


class Limit(msgspec.Struct, frozen=True):
    """What becomes of RUNAI_STREAMER_MEMORY_LIMIT: the value to set, None where it is left alone; and why."""

    reason: Reason
    value: int | None = None


class Memory(msgspec.Struct, frozen=True):
    """What memory allows: a rank's workers, its buffer in bytes, and the limit that sees to it.

    `wanted_bytes` is the container limit that would do, where this one is too small to act on.
    """

    workers: Workers
    buffer_bytes: int
    limit: Limit
    wanted_bytes: int | None = None


class _Room(msgspec.Struct, frozen=True):
    """The container's memory, and what takes it. In bytes."""

    limit: int
    engine: int
    volumes: int
    ranks: int
    per_worker: int  # requests in flight of one worker
    most: int  # requests in flight of a rank, whatever its workers: all that it reads

    @property
    def rank(self) -> int:
        """What one rank's buffer and requests may take."""
        return (self.limit - self.engine - self.volumes) // self.ranks - _PROCESS

    def bears(self, buffer: int) -> int:
        """Returns the workers whose requests fit beside this buffer; not positive where none fits."""
        return self._workers(self.rank - buffer)

    def bears_at_least(self, least: int) -> int:
        """Returns the workers to have beside a buffer that may shrink to `least`, and holds their requests anyway."""
        # A buffer that holds less than the requests in flight throttles them (measured).
        return min(self.bears(least), self._workers(self.rank // 2))

    def requests(self, workers: int) -> int:
        """Returns what the requests in flight of so many workers take on one rank."""
        return min(workers * self.per_worker, self.most)

    def needed(self, buffer: int, workers: int) -> int:
        """Returns the container limit that this buffer and these workers would take."""
        return self.engine + self.volumes + self.ranks * (buffer + self.requests(workers) + _PROCESS)

    def _workers(self, room: int) -> int:
        return _ANY_NUMBER if room >= self.most else room // self.per_worker


def fit_memory(subject: Subject, reading: Reading, workers: Workers, untouched: Knobs) -> Memory:
    """Fits workers and buffer into the container's memory limit; the streamer's own buffer stays where it fits."""
    users = _users_limit(subject, reading)
    written = untouched.memory_limit if users is None or users.value is None else users.value
    buffer = buffer_of(reading, written)
    if reading.files is not None and buffer < reading.files.total_bytes:
        workers = for_small_buffer(workers, reading, untouched)
    if subject.container.memory_limit_bytes is None:
        return Memory(workers, buffer, users or Limit(because(Code.MEMORY_UNLIMITED)))
    cap = max(client_cap(family, untouched) for family in ALL_FAMILIES)
    room = _room(subject.container, reading, cap)
    bears_whole = room.bears(buffer)
    if bears_whole < workers.value:
        workers = for_small_buffer(workers, reading, untouched)
    if bears_whole >= workers.value:
        return Memory(workers, buffer, users or Limit(because(Code.MEMORY_FITS, limit=gib(room.limit))))
    least = buffer if users else min(buffer, _largest_tensor(reading))
    bears = bears_whole if least == buffer else room.bears_at_least(least)
    if bears < (1 if workers.ours else workers.value):
        return _short(room, workers, buffer, least, users)
    bearing = {"workers": counted(bears, "worker"), "ranks": each_of(reading.ranks, "rank")}
    fitted = workers.lowered_to(bears, because(Code.CONCURRENCY_MEMORY, **bearing))
    return Memory(fitted, buffer, users) if users else _budget(room, reading, fitted)


def buffer_of(reading: Reading, written: int) -> int:
    """Returns the buffer of one rank under a memory limit as it is written: it never exceeds what the rank reads.

    In distributed mode the limit is the node's, and older streamers have none by default (the streamer's docs).
    """
    total = reading.files.total_bytes if reading.files else DEFAULT_MEMORY_LIMIT
    if written <= 0 or (reading.distributed and written == DEFAULT_MEMORY_LIMIT):
        return total
    return min(total, written // reading.ranks if reading.distributed else written)


def _users_limit(subject: Subject, reading: Reading) -> Limit | None:
    """What the user decided, in the order in which it wins; None where the limit is free."""
    loader = subject.launch.loader
    unreadable = unreadable_loader(subject)
    if unreadable is not None:
        return Limit(unreadable)
    if loader.memory_limit is not None:
        return Limit(because(Code.LOADER_CONFIG_WINS, keys="memory_limit", names=MEMORY_LIMIT))
    if MEMORY_LIMIT in subject.env:
        return Limit(because(Code.USER_SET, names=MEMORY_LIMIT))
    annotated = subject.facts.annotations.memory_limit_bytes
    return None if annotated is None else _annotated(reading, annotated, subject.annotation("memory-limit"))


def _annotated(reading: Reading, annotated: int, annotation: str) -> Limit:
    least = min(reading.files.largest_bytes if reading.files else _LEAST_TENSOR, _LEAST_TENSOR)
    if annotated >= least:
        return Limit(because(Code.CHOSEN_BY_ANNOTATION, annotation=annotation), annotated)
    problem = f"a buffer under {mib(least)} MiB does not hold the largest tensor, which fails the load"
    return Limit(because(Code.ANNOTATION_REFUSED, annotation=annotation, problem=problem))


def _room(container: EngineContainer, reading: Reading, requests: int) -> _Room:
    limit = container.memory_limit_bytes or 0
    volumes = {mount.volume: mount.size_bytes for mount in container.mounts if mount.kind is VolumeKind.MEMORY}
    return _Room(
        limit=limit,
        engine=min(_ENGINE + _ENGINE_PER_RANK * reading.ranks, limit // 2),
        volumes=sum(_UNSIZED_VOLUME if size is None else size for size in volumes.values()),
        ranks=reading.ranks,
        per_worker=requests * _REQUEST,
        most=reading.files.total_bytes if reading.files else _ANY_NUMBER * _REQUEST,
    )


def _largest_tensor(reading: Reading) -> int:
    return min(reading.files.largest_bytes, _LARGEST_TENSOR) if reading.files else _LARGEST_TENSOR


def _short(room: _Room, workers: Workers, buffer: int, least: int, users: Limit | None) -> Memory:
    """Too little to act on: nothing smaller is safe, so what is there stays, and no worker is added."""
    ranks = each_of(room.ranks, "rank")
    reason = because(Code.MEMORY_SHORT, limit=gib(room.limit), floor=gib(least), ranks=ranks)
    fewer = workers.lowered_to(DEFAULT_CONCURRENCY, reason) if workers.ours else workers
    return Memory(fewer, buffer, users or Limit(reason), room.needed(least, fewer.value))


def _budget(room: _Room, reading: Reading, workers: Workers) -> Memory:
    buffer = (room.rank - room.requests(workers.value)) // MIB * MIB
    reason = because(
        Code.MEMORY_BUDGET,
        limit=gib(room.limit),
        engine=gib(room.engine),
        volumes=gib(room.volumes),
        sharing=f"{room.ranks} ranks together" if reading.distributed else each_of(room.ranks, "rank"),
    )
    return Memory(workers, buffer, Limit(reason, buffer * room.ranks if reading.distributed else buffer))
