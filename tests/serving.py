"""What the tests of the running server share: a review, its answer read, patience, and an S3 that hangs."""

import base64
import json
import re
import socket
import ssl
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from demo.s3 import Model
from demo.webhook import Running

PATIENCE_SECONDS = 20

Serve = Callable[..., Running]

QWEN = Model("fastload-demo", "qwen3.6-35b-a3b", 17, 67 * 2**30)


def review() -> dict[str, Any]:
    """The review of a pod that opted in and streams the published model."""
    container = {
        "name": "vllm",
        "image": "vllm/vllm-openai:v0.19.1",
        "args": ["--model=s3://fastload-demo/qwen3.6-35b-a3b/", "--tensor-parallel-size=2"],
        "env": [{"name": "HF_TOKEN", "value": "hf_do_not_log_me"}],
        "resources": {"limits": {"nvidia.com/gpu": "2"}},
    }
    spec = {"nodeSelector": {"node.kubernetes.io/instance-type": "p5.48xlarge"}, "containers": [container]}
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": str(uuid.uuid4()),
            "operation": "CREATE",
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "resource": {"group": "", "version": "v1", "resource": "pods"},
            "namespace": "inference",
            "object": {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"generateName": "qwen-", "annotations": {"fastload.dev/inject": "true"}},
                "spec": spec,
            },
        },
    }


def env_of(reply: httpx.Response) -> dict[str, str]:
    """The environment that the answer's patch adds."""
    response = reply.json()["response"]
    assert response["allowed"]
    operations = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
    entries = [each["value"] for each in operations if re.search(r"/env(/-)?$", each["path"])]
    return {
        entry["name"]: entry["value"] for value in entries for entry in (value if isinstance(value, list) else [value])
    }


def tls(authority: Path) -> ssl.SSLContext:
    """What a client needs that trusts this authority alone."""
    return ssl.create_default_context(cafile=str(authority))


def eventually(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < until, "it did not come to hold"
        time.sleep(0.05)


def ready(running: Running) -> Callable[[], bool]:
    return lambda: httpx.get(f"{running.admin}/readyz").status_code == 200


@contextmanager
def held_up(endpoint: str) -> Iterator[tuple[str, threading.Event]]:
    """A way to the S3 that takes connections and hangs until the event is set; yields its URL and the event."""
    released = threading.Event()
    address = urlsplit(endpoint)
    listener = socket.create_server(("127.0.0.1", 0))

    def pump(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def relay(connection: socket.socket) -> None:
        released.wait()
        with connection, socket.create_connection((address.hostname or "", address.port or 0)) as upstream:
            back = threading.Thread(target=pump, args=(upstream, connection), daemon=True)
            back.start()
            pump(connection, upstream)
            back.join()

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=relay, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", released
    finally:
        released.set()
        listener.close()
