"""The servers that are measured, all on one core unless told otherwise; the others are left to whoever calls."""

import http.client
import os
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.load import Target
from demo.webhook import certificate_flags, running_webhook, tethered
from webhook.server.certificates import Files

_CORES = sorted(os.sched_getaffinity(0))
# Between two looks at /readyz.
_PAUSE_SECONDS = 0.002
_PATIENCE_SECONDS = 30.0


@contextmanager
def core_of_servers(number: int = 0) -> Iterator[None]:
    """Puts this thread, and what it starts, on the core of the servers, or on another core by its number.

    Raises:
        IndexError: there are not so many.
    """
    with _on({_CORES[number]}):
        yield


@contextmanager
def other_cores() -> Iterator[None]:
    """Keeps this thread, and what it starts, off the core of the servers, where there is another."""
    with _on(set(_CORES[1:]) or set(_CORES)):
        yield


@contextmanager
def _on(cores: set[int]) -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def fastload(certificate: Files, folder: Path, flags: Mapping[str, str], *, core: int = 0) -> Iterator[Target]:
    """Runs `fastload serve` with a certificate and more flags, its log in a folder, and yields it once it is ready."""
    all_flags = {**certificate_flags(certificate), "--drain-seconds": "0", **flags}
    with ExitStack() as stack:
        with core_of_servers(core):
            running = stack.enter_context(running_webhook(all_flags, folder / f"webhook-{core}.log"))
        wait_until_ready(running.admin)
        yield Target(urlsplit(running.reviews).port or 0, trusting(certificate), running.process.pid)


@contextmanager
def reference(module: str, certificate: Files, *arguments: str) -> Iterator[Target]:
    """Runs a server of the benchmarks' own, such as `benchmarks.echo`, which prints the port that it listens on."""
    command = [sys.executable, "-m", module, str(certificate.certificate), str(certificate.key), *arguments]
    with core_of_servers():
        process = subprocess.Popen(tethered(command), stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None  # noqa: S101 (it is a pipe)
        yield Target(int(process.stdout.readline()), trusting(certificate), process.pid)
    finally:
        process.kill()
        process.wait()


def wait_until_ready(admin: str) -> None:
    """Waits until /readyz says 200, and for a few milliseconds more at the most.

    Raises:
        RuntimeError: it did not in half a minute.
    """
    until = time.perf_counter() + _PATIENCE_SECONDS
    while time.perf_counter() < until:
        connection = http.client.HTTPConnection(urlsplit(admin).netloc, timeout=_PATIENCE_SECONDS)
        connection.request("GET", "/readyz")
        status = connection.getresponse().status
        connection.close()
        if status == http.client.OK:
            return
        time.sleep(_PAUSE_SECONDS)
    raise RuntimeError("the webhook was not ready in time")


def trusting(certificate: Files) -> ssl.SSLContext:
    """Returns the context of a client that trusts a server with this certificate."""
    return ssl.create_default_context(cafile=str(certificate.authority))
