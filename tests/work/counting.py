"""Counts the work of a review in this process: what has no seconds in it, and so is the same on every machine.

Run by itself (`python -m tests.work.counting`), in a process that has done nothing else, it writes the counts as JSON.
The reviews are the benchmarks' own. What the event loop does around them is left out, since its timers go by the clock.
"""

import asyncio
import gc
import json
import selectors
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median_low
from types import FrameType
from typing import Any, TypeAlias

from benchmarks.reviews import reviews
from benchmarks.wired import Wired, serve
from webhook.admission.endpoint import ReviewEndpoint

# By the kind of review, and by what is counted: what one review takes.
Counts: TypeAlias = dict[str, dict[str, int]]
_Trace: TypeAlias = Callable[[FrameType, str, Any], Any]

_KINDS = ("exec", "shell")
# For each count, and as many to warm up.
_REVIEWS = 20
_LOOP = (str(Path(asyncio.__file__).parent), selectors.__file__)


class Tally:
    """A count that goes on while a context is open. What is run for the first time in there may not be counted yet."""

    def __init__(self) -> None:
        self.count = 0

    @contextmanager
    def of_bytecodes(self) -> Iterator[None]:
        """Counts the interpreter's instructions, in functions that are entered meanwhile."""

        def enter(frame: FrameType, _event: str, _argument: object) -> _Trace | None:
            if _is_loop(frame):
                return None
            frame.f_trace_lines, frame.f_trace_opcodes = False, True
            return step

        def step(_frame: FrameType, event: str, _argument: object) -> _Trace:
            self.count += event == "opcode"
            return step

        # Python 3.12 looks for such a frame when the trace is set, and not again.
        sys._getframe().f_trace_opcodes = True  # noqa: SLF001 (documented, for this very use)
        sys.settrace(enter)
        try:
            yield
        finally:
            sys.settrace(None)

    @contextmanager
    def of_calls(self) -> Iterator[None]:
        """Counts calls of functions, of those written in C as well."""

        def note(frame: FrameType, event: str, _argument: object) -> None:
            self.count += event in {"call", "c_call"} and not _is_loop(frame)

        sys.setprofile(note)
        try:
            yield
        finally:
            sys.setprofile(None)


def _is_loop(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_LOOP)


async def count() -> Counts:
    """Counts for pods of a template that was seen before, and for pods that are each the first of theirs."""
    gc.collect()
    gc.disable()
    wired = Wired()
    counts: Counts = {}
    for kind in _KINDS:
        endpoint = wired.endpoint()
        unseen = reviews(kind, 5 * _REVIEWS, 1)
        counts[f"{kind}, first seen"] = await _count_in(endpoint, unseen)
        counts[f"{kind}, seen before"] = await _count_in(endpoint, unseen[-1:] * len(unseen))
    return counts


async def _count_in(endpoint: ReviewEndpoint, bodies: Sequence[bytes]) -> dict[str, int]:
    """Counts one thing after the other, each in reviews of its own behind those that warm up."""
    parts = (bodies[start : start + _REVIEWS] for start in range(0, len(bodies), _REVIEWS))
    bytecodes, calls = Tally(), Tally()
    with bytecodes.of_bytecodes():
        await _serve_all(endpoint, next(parts))
        before = bytecodes.count
        await _serve_all(endpoint, next(parts))
        traced = bytecodes.count - before
    with calls.of_calls():
        await _serve_all(endpoint, next(parts))
        before = calls.count
        await _serve_all(endpoint, next(parts))
        profiled = calls.count - before
    return {
        "bytecodes": traced // _REVIEWS,
        "calls": profiled // _REVIEWS,
        "peak bytes": median_low([await _peak_bytes(endpoint, body) for body in next(parts)]),
    }


async def _serve_all(endpoint: ReviewEndpoint, bodies: Sequence[bytes]) -> None:
    for body in bodies:
        await serve(endpoint, body)


async def _peak_bytes(endpoint: ReviewEndpoint, body: bytes) -> int:
    """Returns the most memory that a review had at a time, beyond what was there before."""
    tracemalloc.start()
    try:
        await serve(endpoint, body)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(count())))
