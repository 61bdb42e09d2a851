"""One trial: the ranks of one pod load a model from a store of their own."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

import msgspec

from benchmarks.lab.environment import lab_python, streamer_folder
from benchmarks.lab.streamer.containers import memory_limited
from benchmarks.lab.streamer.gets import Flow, flow_of
from benchmarks.lab.streamer.stock import Get, Stock
from benchmarks.servers import core_of_servers
from demo.webhook import tethered
from tests.cluster.cache import Report

_NURSERY = "benchmarks.lab.streamer.nursery"
_PATIENCE_SECONDS = 240
# Of a socket in the file system, in bytes (Linux, unix(7): 108 with the zero at its end).
_LONGEST_ADDRESS = 107
KILLED = "killed"
_FAULTS: dict[int, str] = {signal.SIGKILL: KILLED, signal.SIGALRM: f"not done after {_PATIENCE_SECONDS} s"}


class Rank(msgspec.Struct, frozen=True):
    """How one rank's load went; `fault` is None where all of it was read."""

    seconds: float
    bytes: int
    fault: str | None
    base_mib: float  # resident before the load
    peak_mib: float


class Trial(msgspec.Struct, frozen=True):
    """What came of a trial."""

    ranks: tuple[Rank, ...]
    flow: Flow

    @property
    def fault(self) -> str | None:
        """What went wrong in the first rank that did not read everything."""
        return next((rank.fault for rank in self.ranks if rank.fault is not None), None)

    @property
    def seconds(self) -> float:
        """Until the last rank had everything."""
        return max(rank.seconds for rank in self.ranks)


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """What is set up for a trial; `patterns` says which files each rank reads, one for each rank."""

    stock: Stock
    version: str
    patterns: tuple[str, ...] = ("*",)
    memory_bytes: int | None = None
    open_files: int | None = None


class Nursery:
    """Where the ranks of all trials come from."""

    def __init__(self, process: "subprocess.Popen[str]", address: Path, report: Report) -> None:
        self._process, self._address, self._report = process, address, report

    def close(self) -> None:
        """Kills it and all ranks."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def trial(self, bench: Bench, settings: Mapping[str, str]) -> Trial:
        """Runs a trial with these settings of the streamer.

        Raises:
            RuntimeError: a rank could not be started, or was closed.
        """
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            limit = bench.memory_bytes
            procs = None if limit is None else str(stack.enter_context(memory_limited(limit)))
            with _store(bench.stock, folder) as endpoint:
                job = {
                    "path": str(streamer_folder(bench.version, self._report)),
                    "env": {**_environment(endpoint, folder), **settings},
                    "uri": "s3://models/m",
                    "open_files": bench.open_files,
                    "procs": procs,
                    "seconds": _PATIENCE_SECONDS,
                }
                ranks = [stack.enter_context(self._born({**job, "pattern": each})) for each in bench.patterns]
                told = tuple(
                    _whole(rank, sum(bench.stock.sizes(pattern)))
                    for rank, pattern in zip(_loaded(ranks), bench.patterns, strict=True)
                )
            log = msgspec.json.decode((folder / "log.json").read_bytes(), type=list[Get])
        return Trial(told, flow_of(log))

    @contextmanager
    def _born(self, job: Mapping[str, object]) -> Iterator[IO[str]]:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self._address))
            with connection.makefile("rw") as channel:
                channel.write(json.dumps(job) + "\n")
                channel.flush()
                yield channel


@contextmanager
def nursery(report: Report) -> Iterator[Nursery]:
    """Runs the process that brings up ranks.

    Raises:
        RuntimeError: it does not start.
    """
    with tempfile.TemporaryDirectory() as folder:
        address = Path(folder) / "nursery"
        if len(os.fsencode(address)) > _LONGEST_ADDRESS:
            raise RuntimeError(f"{address} is too long a path for a socket; set TMPDIR to a shorter one")
        command = tethered([str(lab_python(report)), "-m", _NURSERY, str(address)])
        # A group of its own: Ctrl-C reaches the lab alone, which then ends the ranks.
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, process_group=0
        ) as process:
            ranks = Nursery(process, address, report)
            try:
                assert process.stdout is not None  # noqa: S101 (it is a pipe)
                if process.stdout.readline() != "ready\n":
                    raise RuntimeError(f"the lab's ranks do not start: {command}")
                yield ranks
            finally:
                ranks.close()


@contextmanager
def _store(stock: Stock, folder: Path) -> Iterator[str]:
    (folder / "stock.json").write_bytes(msgspec.json.encode(stock))
    files = (str(folder / "stock.json"), str(folder / "log.json"))
    command = tethered([sys.executable, "-m", "benchmarks.lab.streamer.store", *files])
    # Out of reach of Ctrl-C, as the ranks are.
    with core_of_servers(), subprocess.Popen(command, stdout=subprocess.PIPE, process_group=0) as process:
        try:
            assert process.stdout is not None  # noqa: S101 (it is a pipe)
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate()


def _environment(endpoint: str, home: Path) -> dict[str, str]:
    """What any pod has: credentials and a store. No more of this machine's than the path."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "lab",
        "AWS_SECRET_ACCESS_KEY": "lab",
        "AWS_REGION": "us-west-2",
        "AWS_EC2_METADATA_DISABLED": "true",
        "RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING": "0",
    }


def _loaded(ranks: list[IO[str]]) -> tuple[Rank, ...]:
    """Starts all ranks at the same moment, once each is ready, and returns what they say."""
    for rank in ranks:
        if (said := rank.readline()) != "ready\n":
            raise RuntimeError(f"a rank did not start; it said {said!r}")
    began = time.monotonic()
    for rank in ranks:
        rank.write("go\n")
        rank.flush()
    return tuple(_told(rank, began) for rank in ranks)


def _whole(rank: Rank, wanted: int) -> Rank:
    """Makes it a fault to have read something else than all of it, in bytes."""
    if rank.fault is not None or rank.bytes == wanted:
        return rank
    return msgspec.structs.replace(rank, fault=f"read {rank.bytes} of {wanted} bytes")


def _told(rank: IO[str], began: float) -> Rank:
    said = rank.readline()
    if not said:
        raise RuntimeError("the ranks were closed")
    if said.startswith("{"):
        rank.readline()  # it has ended now
        return msgspec.json.decode(said, type=Rank)
    return Rank(time.monotonic() - began, 0, _FAULTS.get(-int(said), f"ended with {said.strip()}"), 0, 0)
