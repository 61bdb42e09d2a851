"""How many S3 requests a streamer keeps in flight: the formula behind concurrency, chunk, memory and retry.

Every request is at most one part (8 MiB), whatever the chunk size. Workers, a window of bytes and a cap per client
decide how many are in flight at once, and that, until the network is full, decides how fast a model is read. The
formula was read in the streamer's source and agrees with measurements of 0.13.4 to 0.17.1 (docs/tuning.md).
"""

from functools import lru_cache
from math import ceil

import msgspec

from webhook.plan.versions import Family

MIB = 1 << 20
GIB = 1 << 30

DEFAULT_CONCURRENCY = 8
DEFAULT_CHUNK = 8 * MIB
DEFAULT_MEMORY_LIMIT = 40_000_000_000
DEFAULT_TARGET_GBPS = 10

_LEAST_CHUNK = 5 * MIB  # a smaller chunk size is raised to this
_WINDOW_SECONDS = 0.1  # the window holds what the target bandwidth brings in this time, times the margin
# Share of a client's cap that stays busy over chunks of several parts (measured: 18.4 of 25 in 0.17.0, 7 of 25 in
# 0.16.1, as many as with small chunks in 0.15.9).
_BUSY = {Family.UNTARGETED: 1.0, Family.UNBOUNDED: 1.0, Family.WINDOWED: 0.28, Family.RING: 0.73}


class Knobs(msgspec.Struct, frozen=True, kw_only=True):
    """What steers the requests of one process (one rank), with the streamer's own defaults. Sizes are in bytes."""

    concurrency: int = DEFAULT_CONCURRENCY
    # RUNAI_STREAMER_OBJ_CONCURRENCY: wins over the former from 0.17.0.
    object_concurrency: int | None = None
    chunk_bytes: int = DEFAULT_CHUNK
    part_bytes: int = 8 * MIB
    # The buffer of one rank; not positive where it holds all that the rank reads.
    memory_limit: int = DEFAULT_MEMORY_LIMIT
    ring_buffers: int = 18
    # Per client, so per worker.
    target_gbps: float = DEFAULT_TARGET_GBPS
    window_margin: float = 1.5
    window_bytes: int | None = None

    def workers(self, family: Family) -> int:
        """Returns the workers that the settings ask for; each has an S3 client of its own."""
        if family is Family.RING and self.object_concurrency is not None:
            return self.object_concurrency
        return self.concurrency

    def target(self, family: Family) -> float:
        """Returns the bandwidth that a client aims at, in Gbit/s; old streamers aim at the default, whatever is set."""
        return DEFAULT_TARGET_GBPS if family is Family.UNTARGETED else self.target_gbps


class Files(msgspec.Struct, frozen=True):
    """What one rank reads: bytes in all, and the largest file's."""

    total_bytes: int
    largest_bytes: int


# As many as any number of workers finds something to do in.
ANY_FILES = Files(1 << 50, 1 << 50)


def client_cap(family: Family, knobs: Knobs) -> int:
    """Returns the most requests that one worker's S3 client keeps in flight, 25 at the default target."""
    return max(10, ceil(knobs.target(family) / 0.4))


@lru_cache(maxsize=4096)
def most_in_flight(family: Family, knobs: Knobs, files: Files) -> int:
    """Returns the most requests that one rank has in flight at any moment.

    Remembered, since pods of one model come in bursts.
    """
    flow = _flow(family, knobs, files)
    wanted = flow.chunks * max(1, flow.parts - 1)
    return max(1, min(wanted, flow.workers * client_cap(family, knobs), flow.whole))


def sustained_in_flight(family: Family, knobs: Knobs, files: Files) -> float:
    """Returns the requests that one rank keeps in flight over the load, where connections are what limits it."""
    flow = _flow(family, knobs, files)
    cap = flow.workers * client_cap(family, knobs)
    if flow.parts == 1:
        return max(1, min(flow.chunks, cap, flow.whole))
    return max(1, min(flow.chunks * flow.parts / 2, cap * _BUSY[family], flow.whole))


class _Flow(msgspec.Struct):
    workers: int  # that have something to do
    chunks: int  # in flight at once, over all workers
    parts: int  # of one chunk
    whole: int  # requests that the buffer has room for


def _flow(family: Family, knobs: Knobs, files: Files) -> _Flow:
    held = min(knobs.memory_limit, files.total_bytes) if knobs.memory_limit > 0 else files.total_bytes
    chunk = max(_LEAST_CHUNK, knobs.chunk_bytes)
    real_chunk = max(1, min(chunk, files.largest_bytes))  # a chunk never spans two files
    # One buffer is one submission, cut by bytes over the workers: none gets less than a chunk.
    buffers = knobs.ring_buffers if family is Family.RING else 1
    workers = min(knobs.workers(family), buffers * max(1, held // buffers // chunk))
    # A chunk that is cut by a slice's edge takes two requests (measured from 0.16.1 on, worst where buffers are small).
    cuts = 2 if family.windowed and knobs.ring_buffers > 1 else 1
    whole = cuts * ceil(held / min(knobs.part_bytes, real_chunk))
    chunks = cuts * ceil(held / real_chunk)
    if family.windowed:
        chunks = min(chunks, workers * _window(knobs, chunk))
    return _Flow(workers, chunks, ceil(real_chunk / knobs.part_bytes), whole)


def _window(knobs: Knobs, chunk: int) -> int:
    """Returns the chunks in flight of one worker, from 0.16 on."""
    window = knobs.window_bytes
    if window is None:
        window = int(max(knobs.target_gbps * 1e9 / 8 * _WINDOW_SECONDS * knobs.window_margin, 2 * chunk))
    return max(1, window // chunk)
