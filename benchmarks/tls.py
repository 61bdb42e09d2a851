"""Reviews over TLS on one core, beside an echo of the same sizes on the same stack in the same run.

The real command answers, with models that it listed in an S3 of the benchmark's own, and writes its line of log for
each review. The pods are those of one Deployment, which has had pods before; `exec many` are those of 200 Deployments
in turn, and where it says `first seen`, each is the first of its template. Servers have one core, the load the others,
and the load never sleeps, so that it need not be woken. What a request costs is the processor time that its server
used, so that other work on the machine does not count; requests a second are what a core does all of whose time the
server has. Rounds measure each server in turn; the figures are medians, and a ratio is the median of the rounds'.

All connections have a request under way at all times, so p50 is about as many times what a review takes, and p99 says
how far a pod falls behind the others of a crowd. Both are the load's own: from the sending to the answer's last byte.
Unlike the costs they grow with other work on the machine, and the echo's show by how much.
"""

import asyncio
import gc
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle
from operator import truediv
from pathlib import Path

import msgspec
import uvloop

from benchmarks.connection import Connection
from benchmarks.load import Rate, Request, Target, awake, measure
from benchmarks.result import keep
from benchmarks.reviews import KINDS, MIX, reviews
from benchmarks.s3 import running_s3
from benchmarks.servers import fastload, other_cores, reference
from webhook.server.certificates import issue

_CONNECTIONS = 16
_ROUNDS = 9
_SECONDS = 0.6
_PODS_OF_ONE = 200
_TEMPLATES, _PODS_EACH = 200, 10
# So many that the server has forgotten each by the time that it comes again.
_TEMPLATES_TOO_MANY = 3_000
_LARGE_TEMPLATES_TOO_MANY = 300


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds that a half, and 99 of 100, of the requests took at the most, and how they compare."""

    p50_milliseconds: float
    p99_milliseconds: float
    p99_to_p50: float


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of pod: sizes in bytes, costs in microseconds of processor time, rates as wanted and as timed."""

    request_bytes: int
    answer_bytes: int
    review_microseconds: float
    echo_microseconds: float
    reviews_per_second: float
    echoes_per_second: float
    ratio_to_echo: float
    reviews_per_second_of_wall_time: float
    review_latency: Latency
    echo_latency: Latency


class Servers(msgspec.Struct, frozen=True):
    """The webhook and the echo."""

    webhook: Target
    echo: Target


async def compare(servers: Servers, bodies: Sequence[bytes]) -> Figures:
    """Measures one kind of pod."""
    sizes = await _answer_bytes(servers.webhook, bodies[:_TEMPLATES])
    requests = {
        servers.webhook: [Request("/mutate", body) for body in bodies],
        servers.echo: [Request(f"/{size}", body) for size, body in zip(cycle(sizes), bodies, strict=False)],
    }
    rates: dict[Target, list[Rate]] = {target: [] for target in requests}
    with awake():
        for number in range(_ROUNDS + 1):
            for target, each in requests.items():
                rate = await measure(target, each, connections=_CONNECTIONS, seconds=_SECONDS)
                if number > 0:  # the first warms up
                    rates[target].append(rate)
    costs = {target: [rate.processor_seconds for rate in each] for target, each in rates.items()}
    review, echo = statistics.median(costs[servers.webhook]), statistics.median(costs[servers.echo])
    return Figures(
        request_bytes=round(statistics.mean(map(len, bodies))),
        answer_bytes=round(statistics.mean(sizes)),
        review_microseconds=review * 1e6,
        echo_microseconds=echo * 1e6,
        reviews_per_second=1 / review,
        echoes_per_second=1 / echo,
        ratio_to_echo=statistics.median(map(truediv, costs[servers.echo], costs[servers.webhook])),
        reviews_per_second_of_wall_time=statistics.median(rate.per_second for rate in rates[servers.webhook]),
        review_latency=_latency(rates[servers.webhook]),
        echo_latency=_latency(rates[servers.echo]),
    )


async def _answer_bytes(webhook: Target, bodies: Sequence[bytes]) -> list[int]:
    """Returns how large the answers are; those of first pods are as large as those of the templates asked for here."""
    connection = await Connection.opened(webhook)
    sizes = [len(await connection.ask(Request("/mutate", body))) for body in bodies]
    await connection.close()
    return sizes


def _latency(rates: Sequence[Rate]) -> Latency:
    p50 = statistics.median(rate.p50_seconds for rate in rates)
    p99 = statistics.median(rate.p99_seconds for rate in rates)
    return Latency(p50_milliseconds=p50 * 1e3, p99_milliseconds=p99 * 1e3, p99_to_p50=p99 / p50)


@contextmanager
def servers() -> Iterator[Servers]:
    """Starts both servers on one core, and leaves the others to whoever calls."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        certificate = issue(["localhost"], folder)
        stack.enter_context(other_cores())
        s3 = stack.enter_context(running_s3())
        webhook = stack.enter_context(fastload(certificate, folder, {"--s3-endpoint": s3.endpoint}))
        yield Servers(webhook, stack.enter_context(reference("benchmarks.echo", certificate)))


def _pods() -> Iterator[tuple[str, list[bytes]]]:
    """Yields the reviews of each kind, with the name of their figures."""
    for kind in KINDS:
        yield kind, reviews(kind, 1, _PODS_OF_ONE)
        too_many = _LARGE_TEMPLATES_TOO_MANY if kind == "large" else _TEMPLATES_TOO_MANY
        yield f"{kind}_first_seen", reviews(kind, too_many, 1)
    yield "exec_many", reviews("exec", _TEMPLATES, _PODS_EACH)
    yield MIX, reviews(MIX, _TEMPLATES, _PODS_EACH)


def main() -> None:
    """Measures every kind of pod, prints a table and keeps the figures."""
    print(f"over TLS, one core, {_CONNECTIONS} connections, medians of {_ROUNDS} rounds of {_SECONDS:g} s\n")
    print(
        f"{'pod':<18} {'review us':>9} {'echo us':>8} {'reviews/s':>9} {'echoes/s':>9} {'ratio':>6} "
        f"{'p50 ms':>7} {'p99 ms':>7} {'p99/p50':>7} {'of echo':>7}"
    )
    # What the load does for itself is no part of how long an answer takes.
    gc.disable()
    figures: dict[str, Figures] = {}
    with servers() as both, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        for name, pods in _pods():
            found = figures[name] = runner.run(compare(both, pods))
            latency = found.review_latency
            print(
                f"{name.replace('_', ' '):<18} {found.review_microseconds:>9.1f} {found.echo_microseconds:>8.1f} "
                f"{found.reviews_per_second:>9.0f} {found.echoes_per_second:>9.0f} {found.ratio_to_echo:>6.2f} "
                f"{latency.p50_milliseconds:>7.2f} {latency.p99_milliseconds:>7.2f} {latency.p99_to_p50:>7.2f} "
                f"{found.echo_latency.p99_to_p50:>7.2f}",
                flush=True,
            )
            gc.collect()
    keep("tls", {name: msgspec.to_builtins(each) for name, each in figures.items()})


if __name__ == "__main__":
    main()
