"""What slow requests cost a load that nothing rids of them.

About one request in ten takes two to three times the median (published), which lengthens the mean by 10 to 20 %. The
larger of the two published loads was slower than that by far, and its settings cured it. The two differ in what a rank
reads and in ranks, and nothing tells which of them counts: each is taken in turn, and the range spans them.
"""

from webhook.plan.estimate_types import Range
from webhook.plan.inflight import DEFAULT_CONCURRENCY, GIB, Files
from webhook.plan.names import LOW_SPEED_LIMIT
from webhook.plan.reading import Reading
from webhook.pod.facts import UserEnv

_TAIL = Range(1.1, 1.2)
# Of the larger published load, 203 GB by each of 4 ranks in 423 s untouched; never more is claimed.
_WORST = 5.5
# The two published loads: bytes of a rank, and ranks.
_SMALL = (67 * GIB, 2)
_LARGE = (203e9, 4)


def kills_slow_requests(env: UserEnv) -> bool:
    """Whether a speed limit is set; the time-out alone does nothing (measured)."""
    return LOW_SPEED_LIMIT in env


def slowdown(reading: Reading, files: Files, workers: int, *, kills: bool) -> Range:
    """Returns how many times longer a request takes on the whole than a quick one.

    The published cure is a speed limit and a worker for each shard; what either does alone was not published.
    """
    enough = workers > DEFAULT_CONCURRENCY or (reading.shards or 0) <= DEFAULT_CONCURRENCY
    if kills and enough:
        return Range(1, 1)
    size, ranks = files.total_bytes, reading.ranks
    places = (
        _place(size, _SMALL[0], _LARGE[0]),
        _place(ranks, _SMALL[1], _LARGE[1]),
        _place(size * ranks, _SMALL[0] * _SMALL[1], _LARGE[0] * _LARGE[1]),
    )
    low = _TAIL.low + min(places) * (_WORST - _TAIL.low)
    high = _TAIL.high + max(places) * (_WORST - _TAIL.high)
    return Range(1 if kills or workers > DEFAULT_CONCURRENCY else low, high)


def _place(value: float, small: float, large: float) -> float:
    """Where a load lies between the two published ones: 0 at the smaller or below, 1 at the larger or above."""
    return min(1.0, max(0.0, (value - small) / (large - small)))
