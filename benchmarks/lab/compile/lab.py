"""The compile-cache lab as a whole: its cases in order, kept as they end, and what came of them."""

import os
import shutil
import statistics
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.lab.claims import Claim
from benchmarks.lab.compile import cases, compiler, container, crashes
from benchmarks.lab.compile.cases import Case, Lab
from benchmarks.lab.compile.findings import Findings, claims
from benchmarks.lab.compile.machine import Machine
from benchmarks.lab.environment import lab_python
from benchmarks.lab.records import Records, key_of
from benchmarks.lab.side_by_side import side_by_side
from tests.cluster.cache import Report

HEADING: Final = ("Case", "What was counted", "So")

_FOLDER = Path(__file__).parents[3] / "build" / "lab" / "compile"
_REPEATS = 3
_QUICK: Mapping[str, Case] = {
    "first and next": cases.first_and_next,
    "damaged": crashes.damaged_briefly,
    "read-only": cases.read_only,
}
_FULL: Mapping[str, Case] = {
    "first and next": cases.first_and_next,
    "without": cases.without,
    "other templates": cases.other_templates,
    "damaged": crashes.damaged,
    "killed": crashes.killed,
    "at once": crashes.at_once,
    "tenants": cases.tenants,
    "non-root": cases.non_root,
    "read-only": cases.read_only,
    "headers": crashes.headers,
}
# Those whose times are told: each has the machine to itself.
_TIMED = ("first and next", "without", "other templates")


@dataclass(frozen=True)
class Outcome:
    """What the lab found: claims, rows of a table under `HEADING`, and sentences on what fails or is not tried."""

    claims: tuple[Claim, ...]
    rows: tuple[tuple[str, str, str], ...]
    limits: tuple[str, ...]
    first_seconds: tuple[float, ...] = field(default=())
    next_seconds: tuple[float, ...] = field(default=())

    def markdown(self) -> str:
        """Returns the table."""
        lines = [HEADING, tuple("---" for _ in HEADING), *self.rows]
        return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)

    def times(self) -> str:
        """Returns one line with medians, in seconds; information, because machines differ."""
        if not (self.first_seconds and self.next_seconds):
            return "no times"
        first, after = statistics.median(self.first_seconds), statistics.median(self.next_seconds)
        return (
            f"compiling took {first:.1f} s (median of {len(self.first_seconds)}), loading what was compiled "
            f"{after:.1f} s (median of {len(self.next_seconds)})"
        )


def run(records: Records, report: Report, *, quick: bool) -> Outcome:
    """Runs the cases that have no record yet, and returns what all of them found.

    Raises:
        InstallError: torch could not be installed.
        NoCompilerError: there is no C++ compiler.
        RuntimeError: the first pod failed, or the preview did.
    """
    shutil.rmtree(_FOLDER, ignore_errors=True)
    limits = container.why_none(_FOLDER / "probe")
    python = lab_python(report)
    base = subprocess.run(
        [str(python), "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True, check=True
    )
    machine = Machine(_FOLDER, python, Path(base.stdout.strip()), compiler.provide(report), limits)
    try:
        lab = Lab(machine, 1 if quick else _REPEATS)
        found = _all_found(_QUICK if quick else _FULL, lab, records, report)
    finally:
        machine.stop()
    said = [sentence for each in found for sentence in each.limits]
    if limits:
        said.append(f"no container's view of the machine here ({limits}), so paths were rewritten in the environment")
    return Outcome(
        claims(found),
        tuple((case, counted, so) for each in found for case, counted, so in each.rows),
        tuple(said),
        tuple(seconds for each in found for seconds in each.first_seconds),
        tuple(seconds for each in found for seconds in each.next_seconds),
    )


def _all_found(chosen: Mapping[str, Case], lab: Lab, records: Records, report: Report) -> list[Findings]:
    """Runs the cases, those whose times do not matter side by side on all cores."""
    timed = [_found(name, chosen[name], lab, records, report) for name in _TIMED if name in chosen]
    others = {name: case for name, case in chosen.items() if name not in _TIMED}
    with side_by_side(len(os.sched_getaffinity(0)), lab.machine.stop) as pool:
        return timed + list(pool.map(lambda name: _found(name, others[name], lab, records, report), others))


def _found(name: str, case: Case, lab: Lab, records: Records, report: Report) -> Findings:
    key = key_of(
        "compile",
        name,
        lab.repeats,
        lab.machine.python.parents[1].name,
        case.__name__,
        _sources(),
        lab.machine.limits,
        sorted(map(str, lab.planned.values())),
    )
    kept = records.get(key)
    if kept is None:
        report(f"compile cache: {name}")
        found = Findings()
        case(lab, found)
        kept = found.kept()
        records.add(key, f"compile cache: {name}", kept)
    return Findings(**kept)


def _sources() -> list[str]:
    """The lab's own code, on which every record depends."""
    return [path.read_text() for path in sorted(Path(__file__).parent.glob("*.py"))]
