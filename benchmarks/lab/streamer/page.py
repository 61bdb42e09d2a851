"""The streamer lab's tables in docs/tuning.md."""

from collections.abc import Callable, Iterator, Sequence

from benchmarks.lab.claims import Claim
from benchmarks.lab.streamer.case import Case, Shows
from benchmarks.lab.streamer.measured import Measured, Run
from benchmarks.lab.streamer.predicted import predicted_in_flight
from benchmarks.lab.streamer.sides import KNOWN, TUNED, UNTOUCHED
from benchmarks.lab.streamer.trial import KILLED

_NOT_RUN = "not run"
# Of a version that a case says nothing of.
_NOTHING = "-"
_Cell = Callable[[Measured], str]


def tables(measured: Sequence[Measured], claims: Sequence[Claim]) -> str:
    """Returns the page's part as Markdown: what has to hold, and the figures."""
    shown = [each for each in measured if Shows.PREDICTED in each.case.shows]
    against = [each for each in measured if each.case.against]
    return "\n".join(
        [
            *_claims(claims),
            "",
            "Seconds untouched → tuned, medians:",
            "",
            *_table(measured, _seconds),
            "",
            "GETs at once, untouched → tuned, measured (predicted):",
            "",
            *_table(shown, _in_flight),
            "",
            "Settings that fastload does not choose, beside untouched → tuned:",
            "",
            *_table(against, _with_against),
        ]
    )


def lines(measured: Sequence[Measured]) -> list[str]:
    """Returns what to print of the figures: a line for each case and version."""
    return [f"  {each.case.name}, {each.version}: {_with_against(each)}" for each in measured]


def _claims(claims: Sequence[Claim]) -> Iterator[str]:
    yield "| what has to hold | medians for it | against it |"
    yield "|---|---|---|"
    for claim in claims:
        against = "; ".join(claim.against) or (claim.unmeasured if claim.unmeasured and not claim.shown else "none")
        yield f"| {claim.text} | {len(claim.shown)} | {against} |"


def _table(measured: Sequence[Measured], cell: _Cell) -> Iterator[str]:
    versions = list(dict.fromkeys(each.version for each in measured))
    cells = {(each.case.name, each.version): cell(each) for each in measured}
    cases: dict[str, Case] = {each.case.name: each.case for each in measured}
    yield f"| case | {' | '.join(versions)} |"
    yield "|---" * (len(versions) + 1) + "|"
    for name, case in cases.items():
        row = (cells.get((name, version), _NOTHING) for version in versions)
        yield f"| **{name}**: {case.about} | {' | '.join(row)} |"


def _seconds(measured: Measured) -> str:
    if measured.skipped is not None:
        return _NOT_RUN
    return " → ".join(_told(run) for run in measured.runs if run.side.name in {UNTOUCHED, TUNED, KNOWN})


def _with_against(measured: Measured) -> str:
    others = (
        f"{run.side.name}: {_told(run)}" for run in measured.runs if not run.side.ours and run.side.name != UNTOUCHED
    )
    return "; ".join([_seconds(measured), *others])


def _in_flight(measured: Measured) -> str:
    if measured.skipped is not None:
        return _NOT_RUN
    return " → ".join(_counted(measured, run) for run in measured.runs if run.side.name in {UNTOUCHED, TUNED})


def _counted(measured: Measured, run: Run) -> str:
    predicted = predicted_in_flight(measured.case, measured.version, run.side.settings)
    return f"{run.most_in_flight:.0f} ({predicted})"


def _told(run: Run) -> str:
    if run.fault is None:
        return f"{run.seconds:.1f}"
    return run.fault if run.fault == KILLED else "fails"
