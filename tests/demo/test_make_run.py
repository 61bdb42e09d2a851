"""`make run`: what a new user sees, and that nothing is left behind."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from demo.s3 import Model
from tests.serving import PATIENCE_SECONDS, env_of, eventually, tls

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
    running.process.terminate()
    running.process.wait()


def is_gone(url: str) -> bool:
    """Whether nobody listens at the URL."""
    try:
        httpx.get(url)
    except httpx.TransportError:
        return True
    return False


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_shows_both_models_stays_up_and_leaves_nothing_behind(demo: Demo, signum: signal.Signals) -> None:
    demo.wait_for("Up until Ctrl-C.")
    shown = demo.output
    first, second = shown.split("=== llama-4-scout-17b-16e: 50 shards, 203 GiB ===")
    assert "=== qwen3.6-35b-a3b: 17 shards, 67 GiB ===" in first
    assert re.search(r"^    RUNAI_STREAMER_CONCURRENCY +17$", first, re.MULTILINE)
    assert "- name: RUNAI_STREAMER_CONCURRENCY\n        value: '17'\n" in first
    assert "RUNAI_STREAMER_CONCURRENCY=50  (concurrency-shards)\n" in second
    for part in (first, second):
        assert "RUNAI_STREAMER_CHUNK_BYTESIZE" not in part
        assert "TLS verified: allowed" in part

    reviews, admin = demo.address("webhook"), demo.address("admin")
    sent = (demo.folder / "review-llama-4-scout-17b-16e.json").read_bytes()
    reply = httpx.post(
        reviews, content=sent, headers={"content-type": "application/json"}, verify=tls(demo.folder / "ca.pem")
    )
    assert env_of(reply)["RUNAI_STREAMER_CONCURRENCY"] == "50"

    demo.process.send_signal(signum)
    assert demo.process.wait(PATIENCE_SECONDS) == 0
    assert demo.output.endswith("Up until Ctrl-C.\nStopped.\n")
    assert is_gone(f"{admin}/healthz")
    assert is_gone(demo.address("S3"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a process to its parent")
def test_even_killed_it_leaves_nothing_behind(demo: Demo) -> None:
    demo.wait_for("Up until Ctrl-C.")
    demo.process.kill()
    eventually(lambda: is_gone(f"{demo.address('admin')}/healthz"))


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_the_line_to_try_works_as_it_is_printed(demo: Demo) -> None:
    demo.wait_for("Up until Ctrl-C.")
    line = re.search(r"^  curl -s --cacert(?:.*\\\n)*.*$", demo.output, re.MULTILINE)
    assert line
    shown = subprocess.run(["bash", "-c", line[0]], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
    assert "  add /spec/volumes\n" in shown.stdout
    assert "- name: RUNAI_STREAMER_CONCURRENCY\n        value: '17'\n" in shown.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_the_preview_and_the_page_answer_where_it_says(demo: Demo) -> None:
    demo.wait_for("Up until Ctrl-C.")
    (line,) = re.findall(r"^  curl .*/preview$", demo.output, re.MULTILINE)
    shown = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
    (pod,) = json.loads(shown.stdout)["pods"]
    assert pod["shards"]["count"] == 17
    page = httpx.get(demo.address("page")).raise_for_status()
    assert page.headers["content-type"].startswith("text/html")


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
