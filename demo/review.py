"""A review as the API server sends it, and the webhook's answer."""

import base64
import http.client
import json
import ssl
import time
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from demo.webhook import DemoError


class Answer(msgspec.Struct, frozen=True):
    """What came back: whether the pod is allowed, the operations on it, and how long it took in milliseconds."""

    allowed: bool
    patch: list[dict[str, Any]]
    milliseconds: float


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
    response = json.loads(body)["response"]
    patch = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
    return Answer(response["allowed"], patch, milliseconds)
