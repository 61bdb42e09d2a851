"""Run the released streamers and torch.compile with the settings that fastload injects, and judge what they bring.

What a whole run has measured is kept in build/lab until it is done, so that an interrupted one goes on where it
stopped. It writes its tables and its chart into docs/.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.lab import claims
from benchmarks.lab.compile import lab as compile_lab
from benchmarks.lab.page import write_chart, write_part
from benchmarks.lab.records import Records
from benchmarks.lab.streamer.case import Case
from benchmarks.lab.streamer.cases import cases
from benchmarks.lab.streamer.chart import chart
from benchmarks.lab.streamer.judge import judged
from benchmarks.lab.streamer.measured import Measured
from benchmarks.lab.streamer.page import lines, tables
from benchmarks.lab.streamer.run import run as run_streamer
from tests.cluster.cache import Report, exclusive

_KEPT = Path("build/lab")


def main() -> int:
    """Returns 0 where every claim holds, 1 where one fails, 2 where something could not be had, 130 where stopped."""
    report = _Report()
    arguments = _arguments()
    try:
        # A second lab would remove what this one has on disk, and each would slow the other down.
        with exclusive(_KEPT, report):
            return _run(report, arguments)
    except KeyboardInterrupt:
        report("stopped" if arguments.quick else "stopped; the same command goes on from here")
        return 128 + signal.SIGINT
    except (OSError, RuntimeError) as error:
        report(f"the lab cannot go on: {error}")
        return 2


def _run(report: Report, arguments: argparse.Namespace) -> int:
    if arguments.quick:
        kept = _KEPT / "quick.jsonl"
        kept.unlink(missing_ok=True)
        return _told(*_measured(Records(kept), report, [case for case in cases() if case.quick], quick=True))
    kept = _KEPT / "lab.jsonl"
    records = Records(kept)
    if arguments.case:
        measured = run_streamer(records, report, [case for case in cases() if case.name in arguments.case], quick=False)
        _print("", *lines(measured))
        return 0
    measured, compiled = _measured(records, report, cases(), quick=False)
    _write(measured, compiled)
    kept.replace(_KEPT / "finished.jsonl")
    report("wrote docs/tuning.md and docs/lab.svg")
    return _told(measured, compiled)


def _measured(
    records: Records, report: Report, chosen: Sequence[Case], *, quick: bool
) -> tuple[tuple[Measured, ...], compile_lab.Outcome]:
    measured = run_streamer(records, report, chosen, quick=quick)
    report("the compile cache")
    return measured, compile_lab.run(records, report, quick=quick)


def _told(measured: tuple[Measured, ...], compiled: compile_lab.Outcome) -> int:
    about_loads = judged(measured)
    _print("", "Streamer: seconds untouched → tuned", *lines(measured), "", *claims.lines(about_loads))
    _print("", "Compile cache", *claims.lines(compiled.claims), f"  {compiled.times()}")
    return 0 if all(claim.holds for claim in (*about_loads, *compiled.claims)) else 1


def _print(*lines: str) -> None:
    """Prints lines, whether or not anybody still reads them: what the lab found is in its status too."""
    try:
        print("\n".join(lines), flush=True)
    except BrokenPipeError:
        # What is held back must not be tried again as the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(measured: tuple[Measured, ...], compiled: compile_lab.Outcome) -> None:
    write_part("streamer lab", tables(measured, judged(measured)))
    limits = "\n".join(f"- {limit}" for limit in compiled.limits)
    write_part(
        "compile-cache lab",
        f"{compiled.markdown()}\n\n{compiled.times()[0].upper()}{compiled.times()[1:]}.\n\n{limits}",
    )
    write_chart(chart(measured))


class _Report:
    """Prints a line of progress, with the time since the start."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def __call__(self, line: str) -> None:
        minutes, seconds = divmod(round(time.monotonic() - self._started), 60)
        print(f"{minutes:3d}:{seconds:02d}  {line}", file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lab", description=__doc__)
    less = parser.add_mutually_exclusive_group()
    less.add_argument("--quick", action="store_true", help="a few cases, with the newest streamer only")
    less.add_argument(
        "--case",
        action="append",
        choices=[case.name for case in cases()],
        metavar="NAME",
        help="a case of the streamer lab with every version, by its name in docs/tuning.md; it may be given again. "
        "Prints its figures, and keeps its trials for a whole run",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
