"""`make run`: what a new user sees, and that nothing is left behind."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from demo.s3 import Model
from tests.serving import PATIENCE_SECONDS, env_of, tls

ROOT = Path(__file__).parents[2]


class Demo:
    """The program behind `make run`, its output in a file."""

    def __init__(self, folder: Path, *flags: str) -> None:
        self.folder = folder
        self._output = folder / "output"
        command = [sys.executable, "-m", "demo", "--folder", str(folder), *flags]
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=ROOT
            )

    @property
    def output(self) -> str:
        return self._output.read_text()

    def wait_for(self, text: str) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while text not in self.output:
            assert self.process.poll() is None, self.output
            assert time.monotonic() < until, self.output
            time.sleep(0.05)

    def address(self, name: str) -> str:
        found = re.search(rf"^{name} +(\S+)", self.output, re.MULTILINE)
        assert found
        return found[1]


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    running = Demo(tmp_path)
    yield running
    running.process.kill()
    running.process.wait()


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_it_shows_both_models_stays_up_and_leaves_nothing_behind(demo: Demo, signum: signal.Signals) -> None:
    demo.wait_for("Up until Ctrl-C.")
    shown = demo.output
    for shards, size, concurrency in ((17, 67, 17), (50, 203, 50)):
        assert f"{shards} shards, {size} GiB" in shown
        assert f"RUNAI_STREAMER_CONCURRENCY={concurrency}\n" in shown
        assert f"- name: RUNAI_STREAMER_CONCURRENCY\n        value: '{concurrency}'\n" in shown
    assert shown.count("RUNAI_STREAMER_CHUNK_BYTESIZE=4294967296\n") == 2
    assert shown.count("TLS verified: allowed") == 2

    reviews, admin = demo.address("webhook"), demo.address("admin")
    sent = (demo.folder / "review-llama-4-scout-17b-16e.json").read_bytes()
    reply = httpx.post(
        reviews, content=sent, headers={"content-type": "application/json"}, verify=tls(demo.folder / "ca.pem")
    )
    assert env_of(reply)["RUNAI_STREAMER_CONCURRENCY"] == "50"

    demo.process.send_signal(signum)
    assert demo.process.wait(PATIENCE_SECONDS) == 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{admin}/healthz")
    with pytest.raises(httpx.ConnectError):
        httpx.get(demo.address("S3"))


def test_the_line_to_try_works_as_it_is_printed(demo: Demo) -> None:
    demo.wait_for("Up until Ctrl-C.")
    line = next(line for line in demo.output.splitlines() if line.startswith("  curl --cacert"))
    assert line.split()[-1] == demo.address("webhook")
    review = re.search(r"--data @(\S+)", line)
    assert review
    assert (ROOT / review[1]).resolve() == demo.folder / "review-qwen3.6-35b-a3b.json"


def test_once_ends_by_itself(tmp_path: Path) -> None:
    once = Demo(tmp_path, "--once")
    assert once.process.wait(PATIENCE_SECONDS) == 0
    assert "Try it:" in once.output


def test_what_goes_wrong_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    command = [sys.executable, "-m", "demo", "--once", "--folder", str(tmp_path / "file")]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("make run: ")
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(("shards", "total"), [(17, 67 * 2**30), (50, 203 * 2**30)])
def test_a_models_shards_add_up_to_its_size(shards: int, total: int) -> None:
    sizes = Model("bucket", "model", shards, total).shard_sizes()
    assert len(sizes) == shards
    assert sum(sizes.values()) == total
    assert max(sizes.values()) - min(sizes.values()) <= 1
