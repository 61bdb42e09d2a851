"""Two processes beside one: what a second replica on a second core adds.

A replica shares its core with the load that it answers, one process each, and such a pair is what is doubled: so one
pair on one core and two pairs on two cores are under the same conditions, and as far as the replicas share nothing, two
answer twice as many. What a review takes of the processor shows the same where other work on the machine takes the
cores' time. Rounds measure one and two in turn; the figures are medians.
"""

import asyncio
import statistics
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path

import msgspec
import uvloop

from benchmarks.load import Rate, Request, Target, measure
from benchmarks.result import keep
from benchmarks.reviews import reviews
from benchmarks.s3 import running_s3
from benchmarks.servers import core_of_servers, fastload, trusting
from webhook.server.certificates import Files, issue

_REPLICAS = 2
_CONNECTIONS = 16
_ROUNDS = 5
_SECONDS = 2.0
_TEMPLATES, _PODS_EACH = 200, 10


class Figures(msgspec.Struct, frozen=True):
    """So many replicas: reviews a second of all together, and microseconds of the processor for each."""

    reviews_per_second: float
    review_microseconds: float


class Replica(msgspec.Struct, frozen=True):
    """One replica, as another process finds it: its core by number, its port, its process, and whom to trust."""

    core: int
    port: int
    pid: int
    certificate: Files


def load(replica: Replica) -> Rate:
    """Keeps a replica busy from its own core."""
    requests = [Request("/mutate", body) for body in reviews("exec", _TEMPLATES, _PODS_EACH)]
    target = Target(replica.port, trusting(replica.certificate), replica.pid)
    with core_of_servers(replica.core), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(measure(target, requests, connections=_CONNECTIONS, seconds=_SECONDS))


def measure_all(replicas: Sequence[Replica], processes: ProcessPoolExecutor) -> Figures:
    """Measures so many replicas at once."""
    rates = list(processes.map(load, replicas))
    return Figures(
        sum(rate.per_second for rate in rates), statistics.mean(rate.processor_seconds for rate in rates) * 1e6
    )


def main() -> None:
    """Prints a table and keeps the figures."""
    rounds: dict[int, list[Figures]] = {1: [], _REPLICAS: []}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        certificate = issue(["localhost"], folder)
        flags = {"--s3-endpoint": stack.enter_context(running_s3()).endpoint}
        replicas = []
        for core in range(_REPLICAS):
            target = stack.enter_context(fastload(certificate, folder, flags, core=core))
            replicas.append(Replica(core, target.port, target.pid, certificate))
        processes = stack.enter_context(ProcessPoolExecutor(_REPLICAS, mp_context=get_context("spawn")))
        for number in range(_ROUNDS + 1):
            for count, found in rounds.items():
                measured = measure_all(replicas[:count], processes)
                if number > 0:  # the first warms up
                    found.append(measured)
    one, two = (
        Figures(*(statistics.median(getattr(each, name) for each in found) for name in Figures.__struct_fields__))
        for found in rounds.values()
    )
    print(f"replicas, each on a core with its load, medians of {_ROUNDS} rounds of {_SECONDS:g} s\n")
    print(f"{'replicas':>8} {'reviews/s':>10} {'review us':>10}")
    for count, each in zip(rounds, (one, two), strict=True):
        print(f"{count:>8} {each.reviews_per_second:>10.0f} {each.review_microseconds:>10.1f}")
    ratios = {
        "rate_ratio": two.reviews_per_second / one.reviews_per_second,
        "cost_ratio": two.review_microseconds / one.review_microseconds,
    }
    print(
        f"\ntwo answer {ratios['rate_ratio']:.2f} times what one does; a review costs {ratios['cost_ratio']:.2f} times"
    )
    keep("replicas", {"one": msgspec.to_builtins(one), "two": msgspec.to_builtins(two), **ratios})


if __name__ == "__main__":
    main()
