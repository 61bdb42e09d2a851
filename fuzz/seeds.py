"""Inputs to begin with, for each target: the tests' sample pods, in the form that the target takes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from webhook.pod.template import find_templates

_TESTS = Path(__file__).parents[1] / "tests"
# Inputs that were found to be worth keeping, by target; tests replay them.
CORPUS = _TESTS / "security" / "corpus"

Json = dict[str, Any]


def seeds(target: str) -> Iterator[bytes]:
    """Yields a target's first inputs."""
    yield from (path.read_bytes() for path in sorted((CORPUS / target).glob("*")))
    yield from _MAKERS[target]()


def _manifests() -> Iterator[bytes]:
    for path in sorted((_TESTS / "cases").rglob("*.yaml")):
        yield path.read_bytes()


def _pods() -> Iterator[Json]:
    for content in _manifests():
        for document in yaml.safe_load_all(content):
            yield from (found.template for found in find_templates(document))


def _reviews() -> Iterator[bytes]:
    for pod in _pods():
        metadata = pod.get("metadata") or {}
        asking = {**(metadata.get("annotations") or {}), "fastload.dev/inject": "true"}
        yield json.dumps(review_of({**pod, "metadata": {**metadata, "annotations": asking}})).encode()


def _scripts() -> Iterator[bytes]:
    for pod in _pods():
        for container in pod.get("spec", {}).get("containers") or []:
            words = [*(container.get("command") or []), *(container.get("args") or [])]
            yield from (str(word).encode() for word in words if " " in str(word))


def _parts() -> Iterator[bytes]:
    yield from _scripts()
    yield b"\xff".join((b"", b"/mnt/k8s-disks/0/fastload/a", b"s3://models/llm", b"vllm/vllm-openai", b"http://minio"))
    yield b"\xff".join((b"", b"", b"", b"lmsysorg/sglang:v0.5.9", b"1", b"--tp=2", b"cache", b"pvc:claim"))


def _annotations() -> Iterator[bytes]:
    yield b"inject:true\nmodel:s3://bucket/prefix\nengine:vllm\ncontainer:vllm\ninstance-type:p5.48xlarge,g6.xlarge"
    yield b"tensor-parallel-size:2\nstreamer-version:0.15.9\nfeatures:streamer,retry\nconcurrency:17\nchunk-size:4Gi"
    yield b"memory-limit:20Gi\ncache:pvc:claim\ncache-path:/mnt/k8s-disks/0/fastload/a\nshards:17\nmodel-size:67Gi"


def _quantities() -> Iterator[bytes]:
    yield from (b"4Gi", b"500m", b"1e9", b"-.5E-3", b"+12.75Ki", b"9223372036854775807", b"1n")


_MAKERS = {
    "review": _reviews,
    "pod": _parts,
    "shell": _scripts,
    "annotations": _annotations,
    "quantity": _quantities,
    "manifest": _manifests,
}


def review_of(pod: Json) -> Json:
    """Returns the review of a pod's creation in the namespace `serving`."""
    request = {
        "uid": "1",
        "kind": {"version": "v1", "kind": "Pod"},
        "resource": {"version": "v1", "resource": "pods"},
        "namespace": "serving",
        "operation": "CREATE",
        "object": pod,
    }
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
