"""Run the released streamers and torch.compile with the settings that fastload injects, and judge what they bring.

What a whole run has measured is kept in build/lab until it is done, so that an interrupted one goes on where it
stopped. It writes its tables and its chart into docs/.
"""

import argparse
import os
import signal
import sys
import time
from pathlib import Path

from benchmarks.lab import claims
from benchmarks.lab.compile import lab as compile_lab
from benchmarks.lab.page import write_chart, write_part
from benchmarks.lab.records import Records
from benchmarks.lab.streamer.chart import chart
from benchmarks.lab.streamer.judge import judged
from benchmarks.lab.streamer.measured import Measured
from benchmarks.lab.streamer.page import tables
from benchmarks.lab.streamer.run import run as run_streamer
from tests.cluster.cache import Report, exclusive

_KEPT = Path("build/lab")


def main() -> int:
    """Returns 0 where every claim holds, 1 where one fails, 2 where something could not be had, 130 where stopped."""
    report = _Report()
    quick = _arguments().quick
    try:
        # A second lab would remove what this one has on disk, and each would slow the other down.
        with exclusive(_KEPT, report):
            return _run(report, quick=quick)
    except KeyboardInterrupt:
        report("stopped" if quick else "stopped; the same command goes on from here")
        return 128 + signal.SIGINT
    except (OSError, RuntimeError) as error:
        report(f"the lab cannot go on: {error}")
        return 2


def _run(report: Report, *, quick: bool) -> int:
    kept = _KEPT / ("quick.jsonl" if quick else "lab.jsonl")
    if quick:
        kept.unlink(missing_ok=True)
    records = Records(kept)
    measured = run_streamer(records, report, quick=quick)
    about_loads = judged(measured)
    report("the compile cache")
    compiled = compile_lab.run(records, report, quick=quick)
    if not quick:
        _write(measured, about_loads, compiled)
        kept.replace(_KEPT / "finished.jsonl")
        report("wrote docs/tuning.md and docs/lab.svg")
    _print("", "Streamer", *claims.lines(about_loads))
    _print("", "Compile cache", *claims.lines(compiled.claims), f"  {compiled.times()}")
    return 0 if all(claim.holds for claim in (*about_loads, *compiled.claims)) else 1


def _print(*lines: str) -> None:
    """Prints lines, whether or not anybody still reads them: what the lab found is in its status too."""
    try:
        print("\n".join(lines), flush=True)
    except BrokenPipeError:
        # What is held back must not be tried again as the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(
    measured: tuple[Measured, ...], about_loads: tuple[claims.Claim, ...], compiled: compile_lab.Outcome
) -> None:
    write_part("streamer lab", tables(measured, about_loads))
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
    parser.add_argument("--quick", action="store_true", help="a few cases, with the newest streamer only")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
