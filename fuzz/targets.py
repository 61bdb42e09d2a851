"""What is fuzzed, and what must hold of any input. A broken rule raises `AssertionError`; so does a stray exception.

A target is a plain function of bytes, so that a test can replay an input without the fuzzer.
"""

import asyncio
import base64
import contextlib
import json
import re
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from typing import Any

import jsonpatch
import msgspec

from fuzz.seeds import review_of
from fuzz.world import CODES_OF_REFUSAL, ROOT, endpoint, offline
from webhook.admission.asgi import Message
from webhook.pod.annotations import parse_annotations
from webhook.pod.quantity import parse_quantity
from webhook.pod.read import read_pod
from webhook.pod.settings import PodSettings
from webhook.pod.view import Pod
from webhook.preview.documents import UnreadableInputError, read_documents
from webhook.preview.run import run
from webhook.reasons import Code

Json = dict[str, Any]

_SEPARATOR = b"\xff"
_LARGEST_QUANTITY = 2**63 - 1


def review(body: bytes) -> None:
    """A review's body gets an answer that allows, with a patch that applies; or it is refused as no review."""
    status, content = _posted(body)
    if status == HTTPStatus.OK:
        _check(json.loads(body.decode(errors="replace"))["request"], json.loads(content)["response"])
    else:
        assert status in CODES_OF_REFUSAL, status


def pod(data: bytes) -> None:
    """Of a pod that is always one, whose values the input's parts become, no review ends in a fault of fastload's."""
    request = review_of(_pod_of([part.decode(errors="replace") for part in data.split(_SEPARATOR)]))
    status, content = _posted(json.dumps(request).encode())
    assert status == HTTPStatus.OK
    response = json.loads(content)["response"]
    assert Code.INTERNAL_ERROR not in response["auditAnnotations"]["reasons"].split(",")
    _check(request["request"], response)


def shell(script: bytes) -> None:
    """A script is read into facts, whatever it says."""
    container = {"name": "vllm", "image": "x", "command": ["bash", "-c", script.decode(errors="replace")]}
    view = msgspec.convert({"spec": {"containers": [container]}}, Pod)
    read_pod(view, namespace="serving", settings=PodSettings(), ambient={"A": "b"})


def annotations(data: bytes) -> None:
    """Annotations are parsed; what cannot be is a problem that says so, and no path leads upwards."""
    lines = data.decode(errors="replace").split("\n")
    raw = {f"fastload.dev/{name}": value for name, _, value in (line.partition(":") for line in lines)}
    found = parse_annotations(raw, "fastload.dev")
    assert all(problem.text for problem in found.problems)
    if found.cache_path is not None:
        assert found.cache_path.startswith("/")
        assert {"..", ".", ""}.isdisjoint(found.cache_path[1:].split("/"))


def quantity(data: bytes) -> None:
    """A quantity is a whole number of at most 63 bits, or refused."""
    with contextlib.suppress(ValueError):
        assert abs(parse_quantity(data.decode(errors="replace"))) <= _LARGEST_QUANTITY


def manifest(content: bytes) -> None:
    """A manifest is previewed, or refused with a sentence; what would be applied is the manifest with the patch."""
    with contextlib.suppress(UnreadableInputError):
        documents = read_documents("-", content)
        made = _loop().run_until_complete(run(documents, offline()))
        for document, operations in zip(documents, made.patches, strict=True):
            jsonpatch.apply_patch(document.value, msgspec.json.decode(msgspec.json.encode(operations)))


TARGETS: dict[str, Callable[[bytes], None]] = {
    each.__name__: each for each in (review, pod, shell, annotations, quantity, manifest)
}


def _posted(body: bytes) -> tuple[int, bytes]:
    messages: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        messages.append(message)

    scope = {"type": "http", "method": "POST", "path": "/mutate", "headers": [(b"content-type", b"application/json")]}
    _loop().run_until_complete(endpoint()(scope, receive, send))
    start, content = messages
    return int(start["status"]), bytes(content["body"])


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def _check(request: Json, response: Json) -> None:
    """Checks that an answer allows, that its patch applies, and that a new hostPath is the namespace's own."""
    assert response["allowed"] is True
    assert ("patch" in response) == ("patchType" in response)
    if "patch" not in response:
        return
    before = request["object"]
    after = jsonpatch.apply_patch(before, json.loads(base64.b64decode(response["patch"])))
    folder = re.escape(f"{ROOT}/{request.get('namespace') or ''}")
    mine = re.compile(rf"{folder}/([A-Za-z0-9._-]+/)*[0-9a-f]{{24}}")
    for volume in _volumes(after)[len(_volumes(before)) :]:
        if "hostPath" in volume:
            path = volume["hostPath"]["path"]
            assert mine.fullmatch(path), path
            assert ".." not in path.split("/"), path


def _volumes(pod: Json) -> list[Json]:
    return (pod.get("spec") or {}).get("volumes") or []


def _pod_of(parts: list[str]) -> Json:
    script, path, model, image, env, argument, name, note = (*parts, *[""] * 8)[:8]
    engine = {
        "name": "vllm",
        "image": image or "vllm/vllm-openai:v0.11.0",
        "command": ["sh", "-c", script] if script else ["vllm", "serve", model or "s3://models/llm", argument],
        "env": [{"name": name or "A", "value": env}, {"name": "AWS_ENDPOINT_URL", "value": env}] if env else [],
        "resources": {"limits": {"nvidia.com/gpu": "2", "memory": "64Gi"}},
    }
    notes = {"cache-path": path, "model": model, name: note}
    told = {f"fastload.dev/{key}": value for key, value in notes.items() if value}
    return {
        "metadata": {"generateName": "llm-", "annotations": {**told, "fastload.dev/inject": "true"}},
        "spec": {"containers": [engine], "nodeSelector": {"node.kubernetes.io/instance-type": "p5.48xlarge"}},
    }
