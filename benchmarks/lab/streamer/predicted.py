"""What the plan's formula says of a trial: GETs in flight at the most, of all ranks together."""

from collections.abc import Mapping
from math import ceil

from benchmarks.lab.streamer.case import Case
from benchmarks.lab.streamer.sides import family_of
from benchmarks.lab.streamer.stock import Stock
from webhook.plan.inflight import (
    DEFAULT_CHUNK,
    DEFAULT_CONCURRENCY,
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TARGET_GBPS,
    Files,
    Knobs,
    most_in_flight,
)
from webhook.plan.names import CHUNK, CONCURRENCY, MEMORY_LIMIT
from webhook.plan.versions import Family


def predicted_in_flight(case: Case, version: str, settings: Mapping[str, str]) -> int:
    """Returns the formula's figure for these settings, in the lab's scale."""
    family = family_of(version)
    knobs = Knobs(
        concurrency=int(settings.get(CONCURRENCY, DEFAULT_CONCURRENCY)),
        chunk_bytes=int(settings.get(CHUNK, DEFAULT_CHUNK)),
        memory_limit=int(settings.get(MEMORY_LIMIT, DEFAULT_MEMORY_LIMIT)),
        target_gbps=float(settings.get("RUNAI_STREAMER_S3_TARGET_GBPS", DEFAULT_TARGET_GBPS)),
    )
    stock = Stock(case.files, case.pace)
    return sum(_of_rank(family, knobs, stock.sizes(pattern)) for pattern in case.patterns)


def _of_rank(family: Family, knobs: Knobs, sizes: list[int]) -> int:
    """A model of the lab may be in flight as a whole; a part cut at a slice's edge is then still one, and a sliver."""
    parts = sum(ceil(size / knobs.part_bytes) for size in sizes)
    return min(parts, most_in_flight(family, knobs, Files(sum(sizes), max(sizes))))
