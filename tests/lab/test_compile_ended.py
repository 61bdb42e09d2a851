from typing import Any

import pytest

from benchmarks.lab.compile.ended import Ended, reason

COUNTERS = {"graph_hits": 1, "graph_misses": 0, "graph_bypasses": 0, "autograd_misses": 0}


def ended(code: int = 0, right: bool = True, compilations: int = 0, **counters: int) -> Ended:  # noqa: FBT001, FBT002 (short cases)
    said: dict[str, Any] = {"right": right, "seconds": 1.5, "counters": {**COUNTERS, **counters}} if code == 0 else {}
    return Ended(code, said, "broken", compilations, (), None)


NOT_WARM = [
    ("failed", ended(code=1)),
    ("wrong output", ended(right=False)),
    ("a compiler was started", ended(compilations=1)),
    ("a graph missed", ended(graph_misses=1)),
    ("a graph bypassed the cache", ended(graph_bypasses=1)),
    ("an autograd entry missed", ended(autograd_misses=1)),
    ("nothing was looked up", ended(graph_hits=0)),
]


def test_a_start_from_the_cache_compiled_nothing() -> None:
    assert ended().compiled_nothing


@pytest.mark.parametrize("each", [row[1] for row in NOT_WARM], ids=[row[0] for row in NOT_WARM])
def test_any_other_start_compiled_or_failed(each: Ended) -> None:
    assert not each.compiled_nothing


def test_what_is_said_of_a_start() -> None:
    assert ended(code=1).brief() == "ended with 1: broken"
    assert ended().brief() == "graphs 1 hit, 0 missed, 0 compilations, right output"
    assert "WRONG OUTPUT" in ended(right=False).brief()


def test_the_reason_is_the_last_line_that_is_no_hint() -> None:
    assert (
        reason("Traceback\nImportError: file too short\n\nSet TORCH_LOGS for more\n") == "ImportError: file too short"
    )
    assert reason("") == "it said nothing"
