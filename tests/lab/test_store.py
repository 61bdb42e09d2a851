"""The lab's S3 over real connections. How fast it sends is the lab's to measure, and not a test's."""

import json
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from benchmarks.lab.streamer.stock import File, Get, Pace, Stock

FAST = 1e9
FILE = File("m/model-00001-of-00001.safetensors", (3_000_000, 1_000))
HEADER = FILE.header()


class Running:
    def __init__(self, folder: Path, pace: Pace) -> None:
        self.log = folder / "log.json"
        stock = folder / "stock.json"
        stock.write_bytes(msgspec.json.encode(Stock((FILE, File("m/nested/b.safetensors", (1,))), pace)))
        command = [sys.executable, "-m", "benchmarks.lab.streamer.store", str(stock), str(self.log)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{int(self.process.stdout.readline())}")

    def get(self, start: int, end: int) -> httpx.Response:
        return self.client.get(f"/models/{FILE.key}", headers={"Range": f"bytes={start}-{end}"})

    def ended(self) -> list[Get]:
        self.client.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=10)
        return msgspec.json.decode(self.log.read_bytes(), type=list[Get])


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Callable[[Pace], Running]]:
    started: list[Running] = []

    def start(pace: Pace) -> Running:
        started.append(Running(tmp_path, pace))
        return started[-1]

    yield start
    for each in started:
        each.client.close()
        each.process.kill()
        each.process.communicate()


def test_a_header_says_where_each_tensor_lies() -> None:
    (length,) = struct.unpack("<Q", HEADER[:8])
    tensors = json.loads(HEADER[8:])

    assert length == len(HEADER) - 8
    assert [each["data_offsets"] for each in tensors.values()] == [[0, 3_000_000], [3_000_000, 3_001_000]]


@pytest.mark.parametrize(
    ("start", "length"), [(0, 8), (8, len(HEADER) - 8), (len(HEADER) - 4, 2_000_000), (3_000_900, 100)]
)
def test_a_range_is_what_was_asked_for(running: Callable[[Pace], Running], start: int, length: int) -> None:
    whole = HEADER + bytes(3_001_000)

    answer = running(Pace(connection=FAST)).get(start, start + length - 1)

    assert answer.status_code == 206
    assert answer.headers["Content-Range"] == f"bytes {start}-{start + length - 1}/{len(whole)}"
    assert answer.content == whole[start : start + length]


def test_a_range_beyond_the_end_is_cut(running: Callable[[Pace], Running]) -> None:
    assert len(running(Pace(connection=FAST)).get(len(HEADER), 1 << 40).content) == 3_001_000


def test_a_listing_has_what_lies_right_below_the_prefix(running: Callable[[Pace], Running]) -> None:
    listing = running(Pace(connection=FAST)).client.get("/models?list-type=2&delimiter=%2F&prefix=m%2F").text

    assert f"<Key>{FILE.key}</Key><Size>{len(HEADER) + 3_001_000}</Size>" in listing
    assert "nested" not in listing


def test_a_file_that_is_not_there_is_a_404(running: Callable[[Pace], Running]) -> None:
    assert running(Pace(connection=FAST)).client.get("/models/m/other").status_code == 404


def test_every_get_is_logged_with_its_outcome(running: Callable[[Pace], Running]) -> None:
    store = running(Pace(connection=FAST))
    store.get(0, 99)
    with store.client.stream("GET", f"/models/{FILE.key}") as answer:
        assert answer.status_code == 200

    log = store.ended()

    assert (log[0].start, log[0].length, log[0].outcome) == (0, 100, "served")
    assert all(get.ended is not None and get.began <= get.ended for get in log)


def test_the_same_attempts_are_refused_under_the_same_seed(running: Callable[[Pace], Running]) -> None:
    statuses = []
    for _ in range(2):
        store = running(Pace(connection=FAST, refused=0.5, seed=3))
        statuses.append([store.get(start, start + 9).status_code for start in (0, 0, 0, 10, 10, 20, 30, 40)])
        store.ended()

    assert statuses[0] == statuses[1]
    assert set(statuses[0]) == {206, 503}


def test_a_range_crawls_only_the_first_time(running: Callable[[Pace], Running]) -> None:
    store = running(Pace(connection=FAST, crawling=1.0, crawl_rate=1.0))
    with pytest.raises(httpx.ReadTimeout):
        store.client.get(f"/models/{FILE.key}", headers={"Range": "bytes=0-999999"}, timeout=0.3)

    again = store.get(0, 999_999)

    assert len(again.content) == 1_000_000
    assert [get.outcome for get in store.ended()] == ["aborted", "served"]
