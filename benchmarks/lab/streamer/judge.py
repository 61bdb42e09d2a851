"""The claims that the trials have to bear out (docs/tuning.md)."""

from collections.abc import Callable, Iterable, Iterator

from benchmarks.lab.claims import Claim
from benchmarks.lab.streamer.case import Shows
from benchmarks.lab.streamer.measured import NOISE, Measured, Run, slower
from benchmarks.lab.streamer.predicted import predicted_in_flight
from benchmarks.lab.streamer.trial import KILLED

_LEAST_CURE = 4.0
_MOST_OFF = 0.15

# What a case shows of one of our sides: the figures, and whether they speak for the claim; None where it says nothing.
_Finding = tuple[str, bool] | None
_Look = Callable[[Measured, Run], _Finding]


def judged(measured: Iterable[Measured]) -> tuple[Claim, ...]:
    """Returns the claims, each with the figures that it rests on."""
    everything = tuple(measured)
    texts: dict[Shows, tuple[str, _Look]] = {
        Shows.NOT_SLOWER: (f"tuned is never slower than untouched by more than {NOISE:.0%}", _not_slower),
        Shows.CURED: (f"with one GET in ten crawling, tuned is at least {_LEAST_CURE:.0f} times faster", _cured),
        Shows.SURVIVES: ("tuned never fails where untouched succeeds", _survives),
        Shows.FITS: ("where memory is short, tuned is not killed where untouched is", _fits),
        Shows.PREDICTED: (f"GETs in flight are what the plan predicts, within {_MOST_OFF:.0%}", _predicted),
    }
    return tuple(_claim(everything, shows, *texts[shows]) for shows in Shows)


def _claim(everything: tuple[Measured, ...], shows: Shows, text: str, look: _Look) -> Claim:
    cases = [each for each in everything if shows in each.case.shows]
    found = [found for each in cases if each.skipped is None for found in _looked(each, look)]
    return Claim(
        text,
        shown=tuple(said for said, holds in found if holds),
        against=tuple(said for said, holds in found if not holds),
        unmeasured=next((each.skipped for each in cases if each.skipped is not None), None),
    )


def _looked(measured: Measured, look: _Look) -> Iterator[tuple[str, bool]]:
    # The plan predicts the untouched load as well.
    for run in (measured.untouched, *measured.ours) if look is _predicted else measured.ours:
        found = look(measured, run)
        if found is not None:
            said, holds = found
            yield f"{measured.case.name}, {measured.version}, {run.side.name}: {said}", holds


def _not_slower(measured: Measured, run: Run) -> _Finding:
    if run.fault or measured.untouched.fault:
        return None  # another claim's
    said = f"{run.seconds:.1f} s against {measured.untouched.seconds:.1f} s untouched"
    return f"{said}, {measured.share(run):.0%} of it round by round", not slower(measured, run)


def _cured(measured: Measured, run: Run) -> _Finding:
    if run.fault or measured.untouched.fault:
        return run.fault or f"untouched: {measured.untouched.fault}", False
    times = measured.untouched.seconds / run.seconds
    return f"{run.seconds:.1f} s against {measured.untouched.seconds:.1f} s, {times:.1f} times", times >= _LEAST_CURE


def _survives(measured: Measured, run: Run) -> _Finding:
    if measured.untouched.fault is not None:
        return None
    return run.fault or "loaded", run.fault is None


def _fits(measured: Measured, run: Run) -> _Finding:
    untouched = measured.untouched.fault or "loaded as well, so that nothing is shown"
    fits = run.fault is None and measured.untouched.fault == KILLED
    return f"{run.fault or 'loaded'}; untouched: {untouched}", fits


def _predicted(measured: Measured, run: Run) -> _Finding:
    predicted = predicted_in_flight(measured.case, measured.version, run.side.settings)
    off = run.most_in_flight / predicted - 1
    return f"{run.most_in_flight:.0f} of {predicted} predicted, off by {off:+.0%}", abs(off) <= _MOST_OFF
