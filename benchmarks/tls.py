"""Reviews over TLS on one core, beside an echo of the same sizes on the same stack in the same run.

The real command answers, with a model that it listed in an S3 of the benchmark's own, and writes its line of log for
each review. The pods are of 200 templates that have been seen before; where it says `first seen`, each is the first of
its template. Servers have one core, the load the others. What a request costs is the processor time that its server
used, so that other work on the machine does not count; requests a second are what a core does all of whose time the
server has. Rounds measure each server in turn; the figures are medians.
"""

import asyncio
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from benchmarks.connection import ask
from benchmarks.load import Rate, Request, Target, measure
from benchmarks.result import keep
from benchmarks.reviews import KINDS, reviews
from benchmarks.servers import fastload, other_cores, reference
from demo.s3 import Model, embedded_s3, store
from webhook.server.certificates import issue

_MODEL = Model("models", "qwen3.6-35b-a3b", 17, 67 * 2**30)
_CONNECTIONS = 16
_ROUNDS = 5
_SECONDS = 1.0
_TEMPLATES, _PODS_EACH = 200, 10
# So many that the server has forgotten each by the time that it comes again.
_TEMPLATES_TOO_MANY = 3_000


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


class Servers(msgspec.Struct, frozen=True):
    """The webhook and the echo."""

    webhook: Target
    echo: Target


async def compare(servers: Servers, bodies: Sequence[bytes]) -> Figures:
    """Measures one kind of pod."""
    answer = await ask(servers.webhook, Request("/mutate", bodies[0]))
    requests = {
        servers.webhook: [Request("/mutate", body) for body in bodies],
        servers.echo: [Request(f"/{len(answer)}", body) for body in bodies],
    }
    rates: dict[Target, list[Rate]] = {target: [] for target in requests}
    for number in range(_ROUNDS + 1):
        for target, each in requests.items():
            rate = await measure(target, each, connections=_CONNECTIONS, seconds=_SECONDS)
            if number > 0:  # the first warms up
                rates[target].append(rate)
    review, echo = (statistics.median(rate.processor_seconds for rate in rates[target]) for target in requests)
    return Figures(
        request_bytes=len(bodies[0]),
        answer_bytes=len(answer),
        review_microseconds=review * 1e6,
        echo_microseconds=echo * 1e6,
        reviews_per_second=1 / review,
        echoes_per_second=1 / echo,
        ratio_to_echo=echo / review,
        reviews_per_second_of_wall_time=statistics.median(rate.per_second for rate in rates[servers.webhook]),
    )


@contextmanager
def servers() -> Iterator[Servers]:
    """Starts both servers on one core, and leaves the others to whoever calls."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        certificate = issue(["localhost"], folder)
        endpoint = stack.enter_context(embedded_s3())
        store(endpoint, _MODEL)
        webhook = stack.enter_context(fastload(certificate, folder, {"--s3-endpoint": endpoint}))
        echo = stack.enter_context(reference("benchmarks.echo", certificate))
        stack.enter_context(other_cores())
        yield Servers(webhook, echo)


def main() -> None:
    """Measures every kind of pod, prints a table and keeps the figures."""
    print(f"over TLS, one core, {_CONNECTIONS} connections, medians of {_ROUNDS} rounds of {_SECONDS:g} s\n")
    print(f"{'pod':<18} {'review us':>9} {'echo us':>8} {'reviews/s':>10} {'echoes/s':>10} {'ratio':>6}")
    figures: dict[str, Figures] = {}
    with servers() as both:
        for kind in KINDS:
            for name, pods in (
                (kind, reviews(kind, _TEMPLATES, _PODS_EACH)),
                (f"{kind}_first_seen", reviews(kind, _TEMPLATES_TOO_MANY, 1)),
            ):
                found = figures[name] = asyncio.run(compare(both, pods))
                print(
                    f"{name.replace('_', ' '):<18} {found.review_microseconds:>9.1f} {found.echo_microseconds:>8.1f} "
                    f"{found.reviews_per_second:>10.0f} {found.echoes_per_second:>10.0f} {found.ratio_to_echo:>6.2f}",
                    flush=True,
                )
    keep("tls", {name: msgspec.to_builtins(each) for name, each in figures.items()})


if __name__ == "__main__":
    main()
