"""How much memory the process takes: when idle, and with 5,000 templates and 10,000 models behind it.

The real command, with an S3 of the benchmark's own that has every model. Each template comes with one model and later
with another, in turn, and each review has a uid of its own. What is resident is read where the kernel keeps it, and the
peak is the kernel's own: nothing between two looks is missed.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from uuid import uuid4

import uvloop

from benchmarks.connection import Connection
from benchmarks.load import Request, Target
from benchmarks.result import keep
from benchmarks.reviews import of_model, reviews
from benchmarks.s3 import running_s3
from benchmarks.servers import fastload, other_cores
from webhook.server.certificates import issue

_TEMPLATES, _MODELS = 5_000, 10_000
_CONNECTIONS = 16
_MARKS = 4
_UID = b'"uid":"'
_UID_LENGTH = 36


def resident_mib(target: Target, *, peak: bool = False) -> float:
    """Returns the resident size of a server's process now, or the most that it has been."""
    name = "VmHWM" if peak else "VmRSS"
    status = Path(f"/proc/{target.pid}/status").read_text()
    return int(status.partition(f"{name}:")[2].split()[0]) / 1024


def pods() -> Iterator[Request]:
    """Returns reviews without an end: each template with either of its models, under a new uid each time."""
    bodies = [
        of_model(body, f"model-{number}")
        for number, body in enumerate(reviews("exec", _TEMPLATES, _MODELS // _TEMPLATES))
    ]
    for body in cycle(bodies):
        begin = body.index(_UID) + len(_UID)
        yield Request("/mutate", body[:begin] + str(uuid4()).encode() + body[begin + _UID_LENGTH :])


async def fill(target: Target, count: int) -> list[float]:
    """Sends so many reviews, and returns the resident size in MiB at each quarter of the way."""
    connections = [await Connection.opened(target) for _ in range(_CONNECTIONS)]
    endless = pods()
    marks = []
    for _ in range(_MARKS):
        supply = islice(endless, count // _MARKS)
        await asyncio.gather(*(_ask_all(connection, supply) for connection in connections))
        marks.append(resident_mib(target))
    for connection in connections:
        await connection.close()
    return marks


async def _ask_all(connection: Connection, supply: Iterator[Request]) -> None:
    for request in supply:
        await connection.ask(request)


def main() -> None:
    """Prints a table and keeps the figures."""
    parser = argparse.ArgumentParser(description="Measure the memory of fastload serve.")
    parser.add_argument("--reviews", type=int, default=100_000, help="how many reviews it answers (default: 100000)")
    count = parser.parse_args().reviews
    with tempfile.TemporaryDirectory() as name, other_cores(), running_s3() as s3:
        folder = Path(name)
        certificate = issue(["localhost"], folder)
        with fastload(certificate, folder, {"--s3-endpoint": s3.endpoint}) as target:
            idle = resident_mib(target)
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                marks = runner.run(fill(target, count))
            peak = resident_mib(target, peak=True)
    print(f"resident MiB, {count:,} reviews of {_TEMPLATES:,} templates, {len(s3.listings):,} models met\n")
    print(f"{'idle':<24} {idle:6.1f}")
    for number, mark in enumerate(marks, 1):
        print(f"{f'after {count * number // _MARKS:,}':<24} {mark:6.1f}")
    print(f"{'peak':<24} {peak:6.1f}")
    figures = {"idle_mib": idle, "marks_mib": marks, "peak_mib": peak}
    keep("memory", {"reviews": count, "models_met": len(s3.listings), **figures})


if __name__ == "__main__":
    main()
