"""How a listing grows with the files of a model, up to 100,000.

The real look-up lists in a process of its own, which has listed a small model before, so what is measured is the
listing: its time, most of which is boto3's core reading XML, and the most memory that the process took beyond what it
had. The S3 is the benchmark's own, in another process. The figures are medians.
"""

import os
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import msgspec

from benchmarks.result import keep
from benchmarks.s3 import running_s3
from demo.s3 import CREDENTIALS, REGION
from webhook.lookup.facts import Unknown
from webhook.lookup.listing import Listing, Route
from webhook.lookup.model import Models
from webhook.lookup.uri import Location

_FILES = (1_000, 10_000, 100_000)
_ROUNDS = 3
# Has the kernel forget the largest size that the process had (proc(5)).
_FORGET_PEAK = "5"


class Figures(msgspec.Struct, frozen=True):
    """One listing, or the medians of several: seconds, of the processor too, and MiB."""

    seconds: float
    processor_seconds: float
    added_mib: float


def measure(small: str, large: str) -> Figures:
    """Lists the model of an endpoint, once the other one's is listed.

    Raises:
        RuntimeError: a listing failed.
    """
    os.environ.update({**CREDENTIALS, "AWS_DEFAULT_REGION": REGION, "AWS_EC2_METADATA_DISABLED": "true"})
    models = Models(clock=time.process_time)  # its limit must not hang on other work on the machine
    _list(models, small)
    models.warm(Route(endpoint=large))
    Path("/proc/self/clear_refs").write_text(_FORGET_PEAK)
    before = _mib("VmRSS")
    started, used = time.perf_counter(), time.process_time()
    _list(models, large)
    figures = Figures(time.perf_counter() - started, time.process_time() - used, _mib("VmHWM") - before)
    models.close()
    return figures


def _list(models: Models, endpoint: str) -> None:
    found = models.list_shards(Listing(location=Location("models", "model/"), route=Route(endpoint=endpoint)))
    problem = found.reason.text if isinstance(found, Unknown) else None
    if problem is not None:
        raise RuntimeError(f"a listing failed: {problem}")


def _mib(name: str) -> float:
    return int(Path("/proc/self/status").read_text().partition(f"{name}:")[2].split()[0]) / 1024


def main() -> None:
    """Prints a table and keeps the figures."""
    print(f"one listing, medians of {_ROUNDS}\n")
    print(f"{'files':>9} {'s':>7} {'processor s':>12} {'added MiB':>10}")
    figures: dict[int, Figures] = {}
    with running_s3() as small:
        for files in _FILES:
            with (
                running_s3(shards=files) as large,
                ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as processes,
            ):
                rounds = [processes.submit(measure, small.endpoint, large.endpoint).result() for _ in range(_ROUNDS)]
            found = figures[files] = Figures(
                *(statistics.median(getattr(each, name) for each in rounds) for name in Figures.__struct_fields__)
            )
            print(
                f"{files:>9,} {found.seconds:>7.2f} {found.processor_seconds:>12.2f} {found.added_mib:>10.1f}",
                flush=True,
            )
    keep("listing", {f"files_{files}": msgspec.to_builtins(found) for files, found in figures.items()})


if __name__ == "__main__":
    main()
