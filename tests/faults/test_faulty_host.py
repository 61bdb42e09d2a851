"""What the node may do to the process: no disk, no reader of its log, no name of S3, another time, and an early end."""

import fcntl
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from demo.webhook import FASTLOAD, Running, certificate_flags, environment
from tests.faults.host import NAMELESS, write_host
from tests.faults.process import CERTAIN, UNCERTAIN, Process, review_of
from tests.faults.table import WAYS
from tests.serving import Serve, eventually, ready
from webhook.reasons import Code
from webhook.server.certificates import Files

HEALTHY = review_of("s3://healthy/m/")
ROOMS = ("admission", "patch", "plan", "pod", "lookup")
# Those that ask for the time of day all the same: one is no part of the process, one tells a metric.
ASKING = {"catalogue_build.py", "watching.py"}
# Less than the listing would go on for, by its own limits.
END_S = 8


@contextmanager
def logging_into(descriptor: int, files: Files, store: str, ports: tuple[int, int]) -> Iterator[Running]:
    """The real command with its standard error in this file, whatever becomes of it there."""
    every = {**certificate_flags(files), "--s3-endpoint": store, "--drain-seconds": "0", "--kubernetes": "off"}
    where = {"--host": "127.0.0.1", "--review-port": str(ports[0]), "--admin-port": str(ports[1])}
    flags = [word for pair in {**every, **where}.items() for word in pair]
    process = subprocess.Popen([FASTLOAD, "serve", *flags], stderr=descriptor, env=environment())
    try:
        running = Running(f"https://127.0.0.1:{ports[0]}/mutate", f"http://127.0.0.1:{ports[1]}", process)
        eventually(lambda: answers(running))
        yield running
    finally:
        process.terminate()
        assert process.wait(20) == 0


def answers(running: Running) -> bool:
    try:
        return ready(running)()
    except httpx.TransportError:
        return False


@pytest.fixture
def ports() -> tuple[int, int]:
    """Two ports that were free a moment ago: nobody can read in a log which ones the process took."""
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        return first.getsockname()[1], second.getsockname()[1]


def test_a_full_disk_costs_lines_of_log_and_no_pod_anything(
    files: Files, store: str, ports: tuple[int, int], trusting: httpx.Client
) -> None:
    with Path("/dev/full").open("wb") as full, logging_into(full.fileno(), files, store, ports) as running:
        process = Process(running, trusting)
        assert process.ask(HEALTHY).status == "injected"
        assert process.metric("fastload_log_lines_lost_total") > 0


def test_a_reader_of_the_log_that_stalls_holds_up_no_review(
    files: Files, store: str, ports: tuple[int, int], trusting: httpx.Client
) -> None:
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    try:
        with logging_into(writing, files, store, ports) as running:
            process = Process(running, trusting)
            assert {process.ask(HEALTHY).status for _ in range(50)} == {"injected"}
            assert process.metric("fastload_log_lines_lost_total") > 0
    finally:
        os.close(reading)
        os.close(writing)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "host").mkdir()
    monkeypatch.setenv("PYTHONPATH", write_host(tmp_path / "host"))


@pytest.mark.usefixtures("host")
@pytest.mark.parametrize(("way", "endpoint"), [("refused", "http://127.0.0.1:1"), ("nameless", f"http://{NAMELESS}")])
def test_an_s3_that_cannot_be_reached_costs_what_hangs_on_it(
    serve: Serve, trusting: httpx.Client, way: str, endpoint: str
) -> None:
    process = Process(serve(s3_endpoint=endpoint, deadline_seconds="10"), trusting)
    answered = process.ask(HEALTHY)
    assert (answered.status, CERTAIN in answered.env) == ("partial", True)
    assert not UNCERTAIN & answered.env.keys()
    assert WAYS[way].reason in answered.reasons
    assert process.metric("fastload_lookup_seconds_count", outcome="unknown") == 1
    assert process.metric("fastload_reasons_total", reason=Code.S3_UNREACHABLE) == 1


@pytest.mark.usefixtures("host")
def test_a_clock_that_jumps_changes_nothing_for_reviews(serve: Serve, trusting: httpx.Client) -> None:
    process = Process(serve(), trusting)
    before = process.ask(HEALTHY)
    process.running.process.send_signal(signal.SIGUSR1)
    after = process.ask(HEALTHY)
    assert (after.status, after.env) == ("injected", before.env)
    # Ten years are longer than any answer is kept, and it is not asked for again.
    assert process.metric("fastload_lookup_cache_total", lookup="model", result="hit") == 1
    assert process.metric("fastload_lookup_seconds_count", lookup="model") == 1
    assert process.ask(review_of("s3://denied/m/")).status == "partial"


def test_no_room_that_reviews_go_through_asks_for_the_time_of_day() -> None:
    webhook = Path(sys.modules["webhook"].__path__[0])
    files = [file for room in ROOMS for file in webhook.glob(f"{room}/**/*.py")]
    asking = {file.name for file in files if re.search(r"\btime\.time\(|\bdatetime\b", file.read_text())}
    assert len(files) > 50
    assert asking <= ASKING


def test_nobody_asks_ec2() -> None:
    webhook = Path(sys.modules["webhook"].__path__[0])
    asking = [file.name for file in webhook.rglob("*.py") if re.search(r"""client\(\s*["']ec2["']""", file.read_text())]
    assert asking == ["catalogue_build.py"]
    assert "ec2:" not in (webhook.parent / "deploy/iam-policy.json").read_text()


@pytest.mark.parametrize("bucket", ["hanging", "drip"])
def test_a_store_that_hangs_does_not_hold_up_the_end(serve: Serve, trusting: httpx.Client, bucket: str) -> None:
    process = Process(serve(deadline_seconds="0.2"), trusting)
    assert Code.LOOKUP_SLOW in process.ask(review_of(f"s3://{bucket}/m/")).reasons
    told = time.monotonic()
    process.running.process.terminate()
    assert process.running.process.wait(20) == 0
    assert time.monotonic() - told < END_S
