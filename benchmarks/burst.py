"""A cold burst: 1,000 pods of 10 models at once, with nothing cached and an S3 that takes 150 ms for each call.

The real command, on one core and started anew for each round, with an S3 of the benchmark's own. The pods come over
connections that are open already, as an API server keeps them, and all are sent before the first is answered. A pod is
late if it was answered behind the look-ups' deadline, or without what they would have told. Figures are the worst
round's for listings and late pods, and medians for times.
"""

import asyncio
import base64
import json
import statistics
import tempfile
import time
from pathlib import Path

import msgspec

from benchmarks.connection import Connection
from benchmarks.load import Request, Target
from benchmarks.result import keep
from benchmarks.reviews import of_model, reviews
from benchmarks.s3 import running_s3
from benchmarks.servers import fastload, other_cores
from webhook.lookup.settings import LookupSettings
from webhook.server.certificates import Files, issue

_PODS, _MODELS = 1_000, 10
_ROUNDS = 5
_S3_SECONDS = 0.15
_DEADLINE_SECONDS = LookupSettings().deadline_seconds
_STATUS = "/metadata/annotations/fastload.dev~1status"


class Burst(msgspec.Struct, frozen=True):
    """One burst, or several: listings made, pods late, and milliseconds until a pod was answered."""

    listings: int
    late: int
    p50_milliseconds: float
    p99_milliseconds: float
    slowest_milliseconds: float


async def send_at_once(target: Target) -> list[tuple[float, bytes]]:
    """Sends all pods at once, and returns how long each waited, in seconds, and its answer."""
    bodies = reviews("exec", _MODELS, _PODS // _MODELS)
    pods = [of_model(body, f"model-{number % _MODELS}") for number, body in enumerate(bodies)]
    connections = [await Connection.opened(target) for _ in pods]
    answered = await asyncio.gather(*(_ask(*each) for each in zip(connections, pods, strict=True)))
    for connection in connections:
        await connection.close()
    return answered


async def _ask(connection: Connection, body: bytes) -> tuple[float, bytes]:
    started = time.perf_counter()
    answer = await connection.ask(Request("/mutate", body))
    return time.perf_counter() - started, answer


def _complete(answer: bytes) -> bool:
    """Whether the pod was given everything, and not only what is certain without S3."""
    patch = json.loads(base64.b64decode(json.loads(answer)["response"].get("patch", b"")) or b"[]")
    return any(each["path"] == _STATUS and each["value"] == "injected" for each in patch)


def burst(certificate: Files, folder: Path) -> Burst:
    """Measures one burst, on a process that has seen no pod."""
    with (
        other_cores(),
        running_s3(_S3_SECONDS) as s3,
        fastload(certificate, folder, {"--s3-endpoint": s3.endpoint}) as target,
    ):
        answered = asyncio.run(send_at_once(target))
        milliseconds = sorted(seconds * 1e3 for seconds, _ in answered)
        return Burst(
            listings=s3.listings.total(),
            late=sum(seconds > _DEADLINE_SECONDS or not _complete(answer) for seconds, answer in answered),
            p50_milliseconds=milliseconds[_PODS // 2],
            p99_milliseconds=milliseconds[_PODS * 99 // 100],
            slowest_milliseconds=milliseconds[-1],
        )


def main() -> None:
    """Prints a table and keeps the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        certificate = issue(["localhost"], folder)
        rounds = [burst(certificate, folder) for _ in range(_ROUNDS + 1)][1:]
    figures = Burst(
        listings=max(each.listings for each in rounds),
        late=max(each.late for each in rounds),
        p50_milliseconds=statistics.median(each.p50_milliseconds for each in rounds),
        p99_milliseconds=statistics.median(each.p99_milliseconds for each in rounds),
        slowest_milliseconds=max(each.slowest_milliseconds for each in rounds),
    )
    print(f"{_PODS:,} pods of {_MODELS} models at once, S3 at {_S3_SECONDS * 1e3:g} ms a call, {_ROUNDS} rounds\n")
    print(f"{'listings':>8} {'late':>5} {'p50 ms':>7} {'p99 ms':>7} {'slowest ms':>10}")
    print(
        f"{figures.listings:>8} {figures.late:>5} {figures.p50_milliseconds:>7.0f} {figures.p99_milliseconds:>7.0f} "
        f"{figures.slowest_milliseconds:>10.0f}"
    )
    keep("burst", msgspec.to_builtins(figures))


if __name__ == "__main__":
    main()
