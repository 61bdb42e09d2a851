"""The webhook as a user runs it: the real command, in a process of its own, on free ports."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import msgspec

from demo.s3 import CREDENTIALS, REGION
from webhook.server.certificates import Files

FASTLOAD = str(Path(sys.executable).parent / "fastload")
_TETHER = str(Path(__file__).with_name("tethered.py"))
_START_SECONDS = 30.0
_STOP_SECONDS = 10.0


class DemoError(Exception):
    """The demo cannot go on; the message says why, in words."""


class Running(msgspec.Struct, frozen=True):
    """A webhook that listens: its addresses, and its process."""

    reviews: str
    admin: str
    process: subprocess.Popen[bytes]


def environment() -> dict[str, str]:
    """Returns the environment of a process that uses the demo's S3, and nothing of the user's own."""
    foreign = {name for name in os.environ if name.startswith(("AWS_", "FASTLOAD_"))}
    own = {name: value for name, value in os.environ.items() if name not in foreign}
    return {**own, **CREDENTIALS, "AWS_DEFAULT_REGION": REGION, "AWS_EC2_METADATA_DISABLED": "true"}


@contextmanager
def running_webhook(flags: Mapping[str, str], log: Path) -> Iterator[Running]:
    """Runs `fastload serve` on free ports of the loopback address, its log in a file, and ends it in good order.

    Raises:
        DemoError: it does not start.
    """
    all_flags = {"--host": "127.0.0.1", "--review-port": "0", "--admin-port": "0", "--kubernetes": "off", **flags}
    command = tethered([FASTLOAD, "serve", *chain.from_iterable(all_flags.items())])
    with log.open("wb") as stderr:
        # A group of its own: Ctrl-C reaches the demo alone, which then ends the webhook.
        process = subprocess.Popen(command, stderr=stderr, env=environment(), process_group=0)
    try:
        yield _listening(process, log)
    finally:
        _end(process)


def tethered(command: Sequence[str]) -> list[str]:
    """Returns the command of a child that the kernel kills should this process be killed (on Linux)."""
    return [sys.executable, "-I", _TETHER, str(os.getpid()), *command]


def certificate_flags(files: Files) -> dict[str, str]:
    """Returns the flags that have the webhook serve this certificate."""
    return {"--tls-certificate": str(files.certificate), "--tls-key": str(files.key)}


def _listening(process: subprocess.Popen[bytes], log: Path) -> Running:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        for line in log.read_text().splitlines():
            event = json.loads(line) if line.startswith("{") else {}
            if event.get("event") == "listening":
                return Running(event["reviews"], event["admin"], process)
        time.sleep(0.05)
    raise DemoError(f"the webhook did not start; its log {log} ends with:\n{log.read_text()[-1000:]}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
