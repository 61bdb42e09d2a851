import msgspec
import pytest

from benchmarks.lab.claims import Claim, lines
from benchmarks.lab.streamer.case import Shows
from benchmarks.lab.streamer.judge import judged
from benchmarks.lab.streamer.measured import Measured
from benchmarks.lab.streamer.sides import TUNED, UNTOUCHED
from benchmarks.lab.streamer.trial import Trial
from tests.lab.made import CASE, measured, run, trial

HOLDS = [
    (Shows.NOT_SLOWER, trial(10), trial(10.4), True),
    (Shows.NOT_SLOWER, trial(10), trial(10.6), False),
    (Shows.CURED, trial(40), trial(10), True),
    (Shows.CURED, trial(40), trial(10.1), False),
    (Shows.CURED, trial(40, fault="killed"), trial(5), False),
    (Shows.SURVIVES, trial(), trial(), True),
    (Shows.SURVIVES, trial(), trial(fault="ValueError: File access error"), False),
    (Shows.FITS, trial(fault="killed"), trial(), True),
    (Shows.FITS, trial(fault="killed"), trial(fault="killed"), False),
    (Shows.FITS, trial(), trial(), False),
    (Shows.PREDICTED, trial(), trial(in_flight=176), True),
    (Shows.PREDICTED, trial(), trial(in_flight=203), False),
    (Shows.PREDICTED, trial(), trial(in_flight=149), False),
]


def claim(shows: Shows, *found: Measured) -> Claim:
    return judged(found)[list(Shows).index(shows)]


@pytest.mark.parametrize(("shows", "untouched", "tuned", "holds"), HOLDS)
def test_a_claim_by_what_was_measured(shows: Shows, untouched: Trial, tuned: Trial, *, holds: bool) -> None:
    assert claim(shows, measured(untouched, tuned, shows)).holds is holds


@pytest.mark.parametrize("shows", Shows)
def test_a_claim_that_nothing_was_measured_for_fails(shows: Shows) -> None:
    assert not claim(shows).holds


def test_a_claim_of_which_one_version_speaks_against_fails_and_says_which() -> None:
    good = measured(trial(10), trial(5), Shows.NOT_SLOWER, version="0.17.1")
    bad = measured(trial(10), trial(12), Shows.NOT_SLOWER, version="0.16.1")

    found = claim(Shows.NOT_SLOWER, good, bad)

    assert not found.holds
    assert found.against == ("a case, 0.16.1, tuned: 12.0 s against 10.0 s untouched, 120% of it round by round",)


def test_loads_are_compared_round_by_round() -> None:
    untouched, tuned = run(UNTOUCHED, trial(10), trial(14), trial(10)), run(TUNED, trial(14), trial(14), trial(10))
    case = msgspec.structs.replace(CASE, shows=frozenset({Shows.NOT_SLOWER}))

    assert claim(Shows.NOT_SLOWER, Measured(case, "0.17.1", (untouched, tuned))).holds


@pytest.mark.parametrize("fault", [None, "503"])
def test_a_load_that_fails_untouched_says_nothing_of_what_survives(fault: str | None) -> None:
    found = claim(Shows.SURVIVES, measured(trial(fault="503"), trial(fault=fault), Shows.SURVIVES))

    assert found.shown == found.against == ()


def test_the_plan_predicts_the_untouched_load_as_well() -> None:
    assert not claim(Shows.PREDICTED, measured(trial(in_flight=120), trial(in_flight=176), Shows.PREDICTED)).holds


def test_what_cannot_be_measured_here_is_said_and_fails_nothing() -> None:
    found = claim(Shows.FITS, Measured(CASE, "0.17.1", skipped="no cgroup can be made here"))

    assert found.holds
    assert any("no cgroup can be made here" in line for line in lines((found,)))
