"""Where the time of reviews goes, function by function: `python -m benchmarks.profiled --kind shell --first-seen`.

The endpoint alone is profiled, in this process, with everything in memory. A profiler makes calls dearer than they are,
so its figures say where to look, and not how long a review takes.
"""

import argparse
import asyncio
import cProfile
import pstats
from collections.abc import Sequence

from benchmarks.reviews import KINDS, reviews
from benchmarks.wired import Wired, serve

_REVIEWS = 2_000
_FUNCTIONS = 30


async def profile(bodies: Sequence[bytes], reviewed: int) -> cProfile.Profile:
    """Profiles so many of these reviews; the others, in front, warm up."""
    endpoint = Wired().endpoint()
    for body in bodies[:-reviewed]:
        await serve(endpoint, body)
    profiler = cProfile.Profile()
    with profiler:
        for body in bodies[-reviewed:]:
            await serve(endpoint, body)
    return profiler


def main() -> None:
    """Prints the functions that take the most time by themselves."""
    parser = argparse.ArgumentParser(description="Profile reviews.")
    parser.add_argument("--kind", choices=KINDS, default="exec", help="the kind of pod (default: exec)")
    parser.add_argument("--first-seen", action="store_true", help="each pod the first of its template")
    arguments = parser.parse_args()
    templates, pods_each = (2 * _REVIEWS, 1) if arguments.first_seen else (10, _REVIEWS // 5)
    profiler = asyncio.run(profile(reviews(arguments.kind, templates, pods_each), _REVIEWS))
    pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(_FUNCTIONS)


if __name__ == "__main__":
    main()
