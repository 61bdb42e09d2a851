"""`make lab` and `make lab-quick`: runs the labs, prints what they show, and writes it into docs/tuning.md."""

import argparse
import sys
import time
from pathlib import Path

from benchmarks.lab import claims
from benchmarks.lab.records import Records
from benchmarks.lab.streamer.judge import judged
from benchmarks.lab.streamer.run import run as run_streamer

_KEPT = Path("build/lab")


def main() -> int:
    """Returns 0 where every claim holds, 1 where one fails."""
    arguments = _arguments()
    started = time.monotonic()
    records = Records(_KEPT / ("quick.jsonl" if arguments.quick else "lab.jsonl"))
    measured = run_streamer(records, _Report(started), quick=arguments.quick)
    found = judged(measured)
    print("\n".join(["", "Streamer", *claims.lines(found)]), flush=True)
    return 0 if all(claim.holds for claim in found) else 1


class _Report:
    """Prints a line of progress, with the time since the start."""

    def __init__(self, started: float) -> None:
        self._started = started

    def __call__(self, line: str) -> None:
        minutes, seconds = divmod(round(time.monotonic() - self._started), 60)
        print(f"{minutes:3d}:{seconds:02d}  {line}", file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lab", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few cases, with the newest streamer only")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
