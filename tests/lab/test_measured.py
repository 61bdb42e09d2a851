"""How many trials a case takes, with loads that nobody makes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks.lab.records import Records
from benchmarks.lab.streamer.case import Case, Shows
from benchmarks.lab.streamer.measured import Measured, Trials, measure
from benchmarks.lab.streamer.sides import TUNED, UNTOUCHED, Sides
from benchmarks.lab.streamer.trial import Bench, Trial
from tests.lab.made import CASE, trial
from webhook.plan.versions import Family

VERSIONS = ("0.17.1", "0.16.1")
AGAINST = (("50 workers", (("RUNAI_STREAMER_CONCURRENCY", "50"),)),)


class Loads:
    """Stands for the nursery: untouched loads take 10 s, and others as long as a test says."""

    def __init__(self, seconds: float, *, broken: bool = False) -> None:
        self.seconds, self.broken = seconds, broken
        self.made = 0
        self.closed = False

    def trial(self, _bench: Bench, settings: Mapping[str, str]) -> Trial:
        if self.broken:
            raise RuntimeError("the ranks were closed")
        self.made += 1
        return trial(self.seconds if settings else 10)

    def close(self) -> None:
        self.closed = True


def measured(loads: Any, case: Case, folder: Path) -> tuple[Measured, ...]:  # noqa: ANN401 (stands for a nursery)
    trials = Trials(loads, Records(folder / "kept.jsonl"), lambda _: None, Sides([case], VERSIONS))
    return measure(case, VERSIONS, trials)


def case(*shows: Shows, **changes: Any) -> Case:  # noqa: ANN401 (fields of any type)
    return msgspec.structs.replace(CASE, shows=frozenset(shows), **changes)


def test_a_case_is_run_with_the_versions_that_it_says_anything_of(tmp_path: Path) -> None:
    found = measured(Loads(8), case(Shows.NOT_SLOWER, families=(Family.WINDOWED,)), tmp_path)
    assert [each.version for each in found] == ["0.16.1"]


@pytest.mark.parametrize("changes", [{}, {"together": True}, {"together": True, "rounds_at_once": 4}])
@pytest.mark.parametrize(
    ("seconds", "shows", "rounds"), [(8, Shows.NOT_SLOWER, 3), (12, Shows.NOT_SLOWER, 5), (12, Shows.SURVIVES, 1)]
)
def test_a_case_has_so_many_rounds(
    tmp_path: Path, changes: dict[str, Any], seconds: float, shows: Shows, rounds: int
) -> None:
    found = measured(Loads(seconds), case(shows, against=AGAINST, **changes), tmp_path)

    assert [each.version for each in found] == list(VERSIONS)
    for each in found:
        counts = {run.side.name: len(run.trials) for run in each.runs}
        assert counts == {UNTOUCHED: rounds, TUNED: rounds, "50 workers": 1}
        assert each.untouched.seconds == 10
        assert all(run.seconds == seconds for run in each.ours)


def test_what_is_kept_is_not_made_again(tmp_path: Path) -> None:
    measured(Loads(8), case(Shows.NOT_SLOWER), tmp_path)
    again = Loads(8)

    measured(again, case(Shows.NOT_SLOWER), tmp_path)

    assert again.made == 0


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_load_that_cannot_be_made_gives_the_others_up_and_keeps_nothing(tmp_path: Path, at_once: int) -> None:
    loads = Loads(8, broken=True)

    with pytest.raises(RuntimeError, match="the ranks were closed"):
        measured(loads, case(Shows.NOT_SLOWER, rounds_at_once=at_once), tmp_path)

    assert loads.closed
    assert not (tmp_path / "kept.jsonl").exists()
