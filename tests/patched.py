"""Reading a raw pod, applying a patch to it as a client would, and telling what it did."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import jsonpatch
import msgspec

from webhook.patch.operation import Operation, escape
from webhook.pod.facts import PodFacts
from webhook.pod.read import read_pod
from webhook.pod.settings import PodSettings
from webhook.pod.view import Pod

Json = dict[str, Any]

_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def facts_of(pod: Json) -> PodFacts:
    """Reads a raw pod the way a review does."""
    return read_pod(msgspec.convert(pod, Pod), namespace="serving", settings=PodSettings(), ambient={})


def apply(pod: Json, operations: Sequence[Operation]) -> Json:
    """Applies the operations, as they would be sent, to a copy of the pod, with a strict JSON patch library."""
    patched: Json = jsonpatch.apply_patch(pod, msgspec.json.decode(msgspec.json.encode(operations)))
    return patched


def additions(before: object, after: object, pointer: str = "") -> Iterator[str]:
    """Yields the pointer of each thing that `after` has and `before` has not.

    Raises:
        AssertionError: something of `before` is gone, moved or changed. A null may be filled: it counts as absent.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        assert before.keys() <= after.keys(), f"{pointer}: {before.keys() - after.keys()} are gone"
        for key, value in after.items():
            yield from _compare(before.get(key), value, f"{pointer}/{escape(key)}")
    elif isinstance(before, list) and isinstance(after, list):
        assert len(before) <= len(after), f"{pointer} got shorter"
        for index, value in enumerate(after):
            yield from _compare(before[index] if index < len(before) else None, value, f"{pointer}/{index}")
    else:
        assert (type(before), before) == (type(after), after), f"{pointer} was changed"


def _compare(before: object, after: object, pointer: str) -> Iterator[str]:
    if before is None and after is not None:
        yield pointer
    else:
        yield from additions(before, after, pointer)


def assert_valid(pod: Json) -> None:
    """Checks what the API server would check of the parts that a patch adds to."""
    spec = pod["spec"]
    volumes = [volume["name"] for volume in spec.get("volumes") or []]
    lists = (spec.get(each) or [] for each in ("containers", "initContainers", "ephemeralContainers"))
    containers = [container for each in lists for container in each]
    for names in (volumes, [container["name"] for container in containers]):
        assert len(names) == len(set(names))
        assert all(_DNS_LABEL.fullmatch(name) for name in names)
    for container in containers:
        mounts = container.get("volumeMounts") or []
        paths = [mount["mountPath"] for mount in mounts]
        assert len(paths) == len(set(paths))
        assert {mount["name"] for mount in mounts} <= set(volumes)
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    assert sum(len(key.encode()) + len((value or "").encode()) for key, value in annotations.items()) <= 256 * 1024
