"""One target under the fuzzer: `python -m fuzz.one TARGET REPORT [libFuzzer's options and folders]`.

The report is a line of JSON, written anew each second: inputs tried, seconds of the slowest, and that input itself lies
beside it. The fuzzer ends the process itself, so there is no last word.
"""

import json
import sys
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["webhook"]):
    from fuzz.targets import TARGETS
    from webhook.server import logs
    from webhook.server.settings import LogFormat, LogLevel

_REPORT_SECONDS = 1.0


class _Run:
    def __init__(self, target: str, report: Path) -> None:
        self._target = TARGETS[target]
        self._report = report
        self._inputs = 0
        self._slowest_seconds = 0.0
        self._reported = 0.0

    def __call__(self, data: bytes) -> None:
        began = time.thread_time()
        self._target(data)
        seconds = time.thread_time() - began
        self._inputs += 1
        if seconds > self._slowest_seconds:
            self._slowest_seconds = seconds
            self._report.with_suffix(".slowest").write_bytes(data)
        if time.monotonic() - self._reported > _REPORT_SECONDS:
            self._reported = time.monotonic()
            told = {"inputs": self._inputs, "slowest_seconds": round(self._slowest_seconds, 4)}
            self._report.write_text(json.dumps(told))


def main() -> None:
    """Fuzzes until libFuzzer's own options say that it is enough."""
    target, report, *options = sys.argv[1:]
    logs.configure(LogLevel.ERROR, LogFormat.JSON)
    atheris.Setup([sys.argv[0], *options], _Run(target, Path(report)))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
