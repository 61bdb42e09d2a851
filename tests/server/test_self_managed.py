"""The real command where it keeps its certificate by itself, and no API server answers."""

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from demo.webhook import FASTLOAD
from tests.serving import Serve, env_of, eventually, ready, review

SELF_MANAGED = {"certificates": "self-managed", "ready_seconds": "0.5", "certificate_poll_seconds": "0.2"}


@contextmanager
def kubeconfig(folder: Path) -> Iterator[Path]:
    """A kubeconfig of an API server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        cluster = {"name": "c", "cluster": {"server": f"http://127.0.0.1:{silent.getsockname()[1]}"}}
        context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
        users = [{"name": "u", "user": {"token": "do_not_log_me"}}]
        config = {"clusters": [cluster], "contexts": [context], "users": users, "current-context": "c"}
        path = folder / "kubeconfig"
        path.write_text(json.dumps(config))
        yield path


def test_without_a_certificate_it_lives_and_is_not_ready(
    serve: Serve, s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kubeconfig(tmp_path) as path:
        monkeypatch.setenv("KUBECONFIG", str(path))
        running = serve(s3_endpoint=s3, tls_certificate="/nowhere/tls.crt", **SELF_MANAGED)
        answer = "not ready: there is no certificate yet\n"
        eventually(lambda: httpx.get(f"{running.admin}/readyz").text == answer)
        assert httpx.get(f"{running.admin}/healthz").is_success
        assert "fastload_certificate_expiry_timestamp_seconds NaN" in httpx.get(f"{running.admin}/metrics").text
        assert "do_not_log_me" not in (tmp_path / "webhook.log").read_text()


def test_with_the_files_that_are_mounted_it_serves_until_the_api_server_is_back(
    serve: Serve, s3: str, client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kubeconfig(tmp_path) as path:
        monkeypatch.setenv("KUBECONFIG", str(path))
        running = serve(s3_endpoint=s3, **SELF_MANAGED)
        eventually(ready(running))
        assert env_of(client.post(running.reviews, json=review()))["RUNAI_STREAMER_CONCURRENCY"] == "17"


def test_without_a_cluster_it_says_what_it_wants_one_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere/kubeconfig")
    command = [FASTLOAD, "serve", "--review-port", "0", "--admin-port", "0", "--certificates", "self-managed"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "--certificates is self-managed, but there is no service account" in ended.stderr
