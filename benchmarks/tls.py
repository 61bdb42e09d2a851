"""Reviews per second over TLS on one core, beside an echo of the same sizes on the same stack in the same run.

The real command answers, with a model that it listed in an S3 of the benchmark's own; what a review needs is in memory
from the first on, and each writes its line of log. Servers have one core, the load the other. A round measures each
server in turn, so that whatever else the machine does falls on both; the figures are medians.
"""

import asyncio
import json
import os
import ssl
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from benchmarks.load import Request, Target, ask, requests_per_second
from benchmarks.reviews import reviews
from demo.s3 import Model, embedded_s3, store
from demo.webhook import certificate_flags, running_webhook
from webhook.server.certificates import Files, issue

_MODEL = Model("models", "qwen3.6-35b-a3b", 17, 67 * 2**30)
_CONNECTIONS = 16
_ROUNDS = 5
_SECONDS = 2.0
_WARM_UP_SECONDS = 1.0
_RESULT = Path("build/bench.json")


class Figures(msgspec.Struct, frozen=True):
    """One kind of pod: sizes in bytes, medians of the rounds in requests a second."""

    request_bytes: int
    answer_bytes: int
    reviews_per_second: float
    echoes_per_second: float

    @property
    def ratio(self) -> float:
        """Reviews for each echo."""
        return self.reviews_per_second / self.echoes_per_second


class Servers(msgspec.Struct, frozen=True):
    """The webhook and the echo."""

    webhook: Target
    echo: Target


async def measure(servers: Servers, review: bytes) -> Figures:
    """Measures one kind of pod."""
    answer = await ask(servers.webhook, Request("/mutate", review))
    body_bytes = len(answer.partition(b"\r\n\r\n")[2])
    requests = {servers.webhook: Request("/mutate", review), servers.echo: Request(f"/{body_bytes}", review)}
    rates: dict[Target, list[float]] = {target: [] for target in requests}
    for target, request in requests.items():
        await requests_per_second(target, request, connections=_CONNECTIONS, seconds=_WARM_UP_SECONDS)
    for _ in range(_ROUNDS):
        for target, request in requests.items():
            rate = await requests_per_second(target, request, connections=_CONNECTIONS, seconds=_SECONDS)
            rates[target].append(rate)
    medians = [statistics.median(rates[target]) for target in (servers.webhook, servers.echo)]
    return Figures(len(review), body_bytes, *medians)


@contextmanager
def servers_on(core: int) -> Iterator[Servers]:
    """Starts both servers on one core, and leaves the others to whoever calls."""
    everything = os.sched_getaffinity(0)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        certificate = issue(["localhost"], folder)
        endpoint = stack.enter_context(embedded_s3())
        store(endpoint, _MODEL)
        os.sched_setaffinity(0, {core})
        flags = {**certificate_flags(certificate), "--s3-endpoint": endpoint, "--drain-seconds": "0"}
        webhook = stack.enter_context(running_webhook(flags, folder / "webhook.log"))
        echo_port = stack.enter_context(_echo(certificate))
        os.sched_setaffinity(0, everything - {core} or everything)
        context = ssl.create_default_context(cafile=str(certificate.authority))
        yield Servers(Target(urlsplit(webhook.reviews).port or 0, context), Target(echo_port, context))


@contextmanager
def _echo(certificate: Files) -> Iterator[int]:
    command = [sys.executable, "-m", "benchmarks.echo", str(certificate.certificate), str(certificate.key)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None  # noqa: S101 (it is a pipe)
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def main() -> None:
    """Measures every kind of pod, prints a table and writes the figures to build/bench.json."""
    figures: dict[str, Figures] = {}
    print(f"over TLS, one core, {_CONNECTIONS} connections, medians of {_ROUNDS} rounds of {_SECONDS:g} s\n")
    print(f"{'pod':<14} {'request':>8} {'answer':>8} {'reviews/s':>10} {'echoes/s':>10} {'ratio':>6}")
    with servers_on(min(os.sched_getaffinity(0))) as servers:
        for name, review in reviews().items():
            found = figures[name] = asyncio.run(measure(servers, review))
            print(
                f"{name:<14} {found.request_bytes:>8} {found.answer_bytes:>8} {found.reviews_per_second:>10.0f} "
                f"{found.echoes_per_second:>10.0f} {found.ratio:>6.2f}",
                flush=True,
            )
    _RESULT.parent.mkdir(exist_ok=True)
    written = {name: {**msgspec.to_builtins(each), "ratio": each.ratio} for name, each in figures.items()}
    _RESULT.write_text(json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    main()
