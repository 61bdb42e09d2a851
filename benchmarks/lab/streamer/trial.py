"""One trial: the ranks of one pod load a model from a store of their own, on a core of their own."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from benchmarks.lab.environment import lab_python, streamer_folder
from benchmarks.lab.streamer.containers import memory_limited, within
from benchmarks.lab.streamer.gets import Flow, flow_of
from benchmarks.lab.streamer.store import Get, Stock
from benchmarks.servers import core_of_servers, other_cores
from demo.webhook import tethered
from tests.cluster.cache import Report

_RANK = Path(__file__).with_name("rank.py")
_PATIENCE_SECONDS = 240.0


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


def run_trial(bench: Bench, settings: Mapping[str, str], report: Report) -> Trial:
    """Runs a trial with these settings of the streamer."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        procs = None
        if bench.memory_bytes is not None:
            procs = stack.enter_context(memory_limited(bench.memory_bytes))
        with _store(bench.stock, folder) as endpoint:
            env = {**_environment(bench.version, endpoint, folder, report), **settings}
            command = within([str(lab_python(report)), str(_RANK), "s3://models/m"], procs, bench.open_files)
            with other_cores():
                ranks = [_start([*command, pattern], env) for pattern in bench.patterns]
            told = _loaded(ranks)
        log = msgspec.json.decode((folder / "log.json").read_bytes(), type=list[Get])
    return Trial(told, flow_of(log))


@contextmanager
def _store(stock: Stock, folder: Path) -> Iterator[str]:
    (folder / "stock.json").write_bytes(msgspec.json.encode(stock))
    files = (str(folder / "stock.json"), str(folder / "log.json"))
    with core_of_servers():
        process = subprocess.Popen(
            tethered([sys.executable, "-m", "benchmarks.lab.streamer.store", *files]), stdout=subprocess.PIPE
        )
    try:
        assert process.stdout is not None  # noqa: S101 (it is a pipe)
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()


def _environment(version: str, endpoint: str, home: Path, report: Report) -> dict[str, str]:
    """What any pod has: credentials and a store. No more of this machine's than the path."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": str(streamer_folder(version, report)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "lab",
        "AWS_SECRET_ACCESS_KEY": "lab",
        "AWS_REGION": "us-west-2",
        "AWS_EC2_METADATA_DISABLED": "true",
        "RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING": "0",
    }


def _start(command: list[str], env: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        tethered(command),
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _loaded(ranks: list[subprocess.Popen[str]]) -> tuple[Rank, ...]:
    """Starts all ranks at the same moment, once each is ready, and returns what they say."""
    for rank in ranks:
        assert rank.stdin is not None  # noqa: S101 (pipes, both)
        assert rank.stdout is not None  # noqa: S101
        if rank.stdout.readline() != "ready\n":
            raise RuntimeError(f"a rank did not start: {rank.args!r}")
    began = time.monotonic()
    for rank in ranks:
        assert rank.stdin is not None  # noqa: S101
        rank.stdin.write("go\n")
        rank.stdin.flush()
    return tuple(_told(rank, began) for rank in ranks)


def _told(rank: subprocess.Popen[str], began: float) -> Rank:
    try:
        said, _ = rank.communicate(timeout=max(0.0, began + _PATIENCE_SECONDS - time.monotonic()))
    except subprocess.TimeoutExpired:
        rank.kill()
        rank.communicate()
        return Rank(time.monotonic() - began, 0, f"not done after {_PATIENCE_SECONDS:.0f} s", 0, 0)
    if rank.returncode == -signal.SIGKILL:
        return Rank(time.monotonic() - began, 0, "killed", 0, 0)
    if not said:
        return Rank(time.monotonic() - began, 0, f"ended with {rank.returncode}", 0, 0)
    return msgspec.json.decode(said, type=Rank)
