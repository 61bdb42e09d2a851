"""How long `fastload serve` takes from the start of its process until it listens, and until it is ready.

Without a cluster and with a certificate in files, so what is timed is fastload alone: the interpreter, the imports, the
S3 client that is made ahead of the first listing. On one core, beside the start of the bare interpreter in the same
run. The first round reads the files into memory and is not counted; the figures are medians.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import chain
from pathlib import Path

import msgspec

from benchmarks.result import keep
from benchmarks.servers import core_of_servers, wait_until_ready
from demo.webhook import FASTLOAD, certificate_flags, environment
from webhook.server.certificates import Files, issue

_ROUNDS = 5


class Start(msgspec.Struct, frozen=True):
    """One start, or the medians of several: seconds until it listens, and until /readyz says 200."""

    listening_seconds: float
    seconds: float


def start(certificate: Files) -> Start:
    """Starts the process once, times it, and ends it.

    Raises:
        RuntimeError: it ended, or was not ready in time.
    """
    flags = {
        **certificate_flags(certificate),
        "--host": "127.0.0.1",
        "--review-port": "0",
        "--admin-port": "0",
        "--kubernetes": "off",
        "--drain-seconds": "0",
    }
    started = time.perf_counter()
    with core_of_servers():
        process = subprocess.Popen(
            [FASTLOAD, "serve", *chain.from_iterable(flags.items())], stderr=subprocess.PIPE, env=environment()
        )
    try:
        admin = _listening(process)
        listening = time.perf_counter() - started
        wait_until_ready(admin)
        return Start(listening, time.perf_counter() - started)
    finally:
        process.terminate()
        process.communicate()


def interpreter_seconds() -> float:
    """Returns how long the bare interpreter takes to start and end."""
    started = time.perf_counter()
    with core_of_servers():
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - started


def _listening(process: subprocess.Popen[bytes]) -> str:
    """Waits for the line of log that says so, and returns the admin port's URL."""
    assert process.stderr is not None  # noqa: S101 (it is a pipe)
    for line in process.stderr:
        event = json.loads(line)
        if event["event"] == "listening":
            return str(event["admin"])
    raise RuntimeError("the webhook ended before it listened")


def main() -> None:
    """Prints a table and keeps the figures."""
    with tempfile.TemporaryDirectory() as folder:
        certificate = issue(["localhost"], Path(folder))
        rounds = [(interpreter_seconds(), start(certificate)) for _ in range(_ROUNDS + 1)][1:]
    bare = statistics.median(interpreter for interpreter, _ in rounds)
    figures = Start(
        statistics.median(each.listening_seconds for _, each in rounds),
        statistics.median(each.seconds for _, each in rounds),
    )
    print(f"start on one core, medians of {_ROUNDS}, seconds\n")
    print(f"{'bare interpreter':<18} {bare:6.3f}")
    print(f"{'listening':<18} {figures.listening_seconds:6.3f}")
    print(f"{'ready':<18} {figures.seconds:6.3f}")
    keep("start", {**msgspec.to_builtins(figures), "interpreter_seconds": bare})


if __name__ == "__main__":
    main()
