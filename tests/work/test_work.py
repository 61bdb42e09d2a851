"""A review takes no more work than is kept: instructions, calls and memory, which are the same on every machine."""

import asyncio

import pytest

from tests.work.counting import Counts, Tally
from tests.work.kept import PYTHON, count_apart, grown, read_kept, renewed


def test_a_review_is_no_more_work_than_it_was() -> None:
    kept = read_kept()
    if PYTHON not in kept:
        pytest.skip(f"no counts are kept for Python {PYTHON}; `make work` writes them")
    told = "\n  ".join(grown(kept[PYTHON], count_apart()))
    assert not told, f"a review has become more work; if that is right, run `make work` and commit:\n  {told}"


def _double(number: int) -> int:
    return number + number


def _work(times: int) -> tuple[int, int]:
    """Instructions and calls of doubling so often."""
    bytecodes, calls = Tally(), Tally()
    with bytecodes.of_bytecodes():
        _double(1)
        traced = bytecodes.count
        for _ in range(times):
            _double(1)
        traced = bytecodes.count - traced
    with calls.of_calls():
        for _ in range(times):
            _double(1)
        profiled = calls.count
    return traced, profiled


def test_every_instruction_and_call_counts() -> None:
    once, often = _work(1), _work(1_000)
    assert once[0] > 2
    assert once[1] == 1
    assert often == (1_000 * once[0], 1_000)


def test_the_event_loop_does_not_count() -> None:
    async def calls_of_sleeping() -> int:
        calls = Tally()
        with calls.of_calls():
            for _ in range(100):
                await asyncio.sleep(0)
            return calls.count

    # That this function goes on is a call of it, and all that is left.
    assert asyncio.run(calls_of_sleeping()) == 100


KEPT: Counts = {"exec": {"calls": 1_000, "bytecodes": 10_000}}


@pytest.mark.parametrize(
    ("counted", "told"),
    [
        ({"calls": 1_000, "bytecodes": 10_000}, []),
        ({"calls": 500, "bytecodes": 10_000}, []),
        ({"calls": 1_050, "bytecodes": 10_500}, []),
        ({"calls": 1_051, "bytecodes": 10_000}, ["exec: calls: 1051, kept are 1000 (+5.1%)"]),
        ({"calls": 1_000, "bytecodes": 20_000}, ["exec: bytecodes: 20000, kept are 10000 (+100.0%)"]),
        ({"blocks": 1}, ["exec: blocks: 1, and none are kept"]),
    ],
)
def test_more_than_a_twentieth_more_is_told(counted: dict[str, int], told: list[str]) -> None:
    assert list(grown(KEPT, {"exec": counted})) == told


def test_a_version_that_cannot_be_counted_here_grows_along() -> None:
    kept: dict[str, Counts] = {"3.11": KEPT, "3.12": {"exec": {"calls": 900, "bytecodes": 8_000}}}
    counted: Counts = {"exec": {"calls": 1_200, "bytecodes": 5_000, "blocks": 7}}
    assert renewed(kept, "3.11", counted) == {
        "3.11": counted,
        "3.12": {"exec": {"calls": 1_080, "bytecodes": 4_000, "blocks": 7}},
    }


def test_the_first_counts_of_a_version_leave_the_others_alone() -> None:
    counted: Counts = {"exec": {"calls": 900, "bytecodes": 8_000}}
    assert renewed({"3.11": KEPT}, "3.13", counted) == {"3.11": KEPT, "3.13": counted}
