"""A review as the API server sends it, and the webhook's answer.

As a program (`python -m demo.review`) it reads an answer from standard input and shows the patch in it.
"""

import base64
import http.client
import json
import ssl
import sys
import time
import uuid
from pathlib import Path
from textwrap import indent
from typing import Any
from urllib.parse import urlsplit

import msgspec

from demo.webhook import DemoError
from webhook.preview.kubeyaml import dump

_PLAN = "/metadata/annotations/fastload.dev~1plan"


class Answer(msgspec.Struct, frozen=True):
    """What came back: whether the pod is allowed, the operations on it, and how long it took in milliseconds."""

    allowed: bool
    patch: list[dict[str, Any]]
    milliseconds: float

    @property
    def plan(self) -> dict[str, Any]:
        """The decision in short, as the patch writes it into the pod's annotation."""
        plan: dict[str, Any] = json.loads(next(each["value"] for each in self.patch if each["path"] == _PLAN))
        return plan


def review_of(pod: dict[str, Any]) -> bytes:
    """Wraps a pod into the AdmissionReview of its creation."""
    request = {
        "uid": str(uuid.uuid4()),
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "operation": "CREATE",
        "namespace": pod["metadata"]["namespace"],
        "name": pod["metadata"]["name"],
        "object": pod,
    }
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    return json.dumps(review, indent=2).encode()


def send(url: str, review: bytes, authority: Path) -> Answer:
    """Sends the review over TLS, verified against the authority.

    Raises:
        DemoError: the answer is not 200.
    """
    address = urlsplit(url)
    connection = http.client.HTTPSConnection(
        address.hostname or "", address.port, context=ssl.create_default_context(cafile=str(authority)), timeout=10
    )
    started = time.perf_counter()
    connection.request("POST", address.path, review, {"Content-Type": "application/json"})
    reply = connection.getresponse()
    body = reply.read()
    milliseconds = (time.perf_counter() - started) * 1000
    connection.close()
    if reply.status != http.client.OK:
        raise DemoError(f"the webhook answered {reply.status}: {body.decode()}")
    return _read(body, milliseconds)


def _read(body: bytes, milliseconds: float) -> Answer:
    response = json.loads(body)["response"]
    patch = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
    return Answer(response["allowed"], patch, milliseconds)


def show(patch: list[dict[str, Any]]) -> None:
    """Shows each operation: what it does where, and its value as YAML."""
    for operation in patch:
        print(f"  {operation['op']} {operation['path']}")
        print(indent(dump(operation["value"]).removesuffix("...\n"), " " * 6), end="", flush=True)


if __name__ == "__main__":
    show(_read(sys.stdin.buffer.read(), 0).patch)
