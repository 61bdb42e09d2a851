"""What fastload adds as a kustomize component: a file that any kustomization takes in with one line.

Its patches are JSON patches (RFC 6902) with a target each. Strategic merge patches would need no target, but kustomize
knows the keys of lists only for Kubernetes' own kinds: of a LeaderWorkerSet or a RayCluster it would replace the whole
list of containers. Annotations of a pod that is no template are merged.

Before anything is added, a `test` makes sure that it still goes into the container that it was made
for, and that no list or mapping that it creates has come into being meanwhile: kustomize then says so, where the user's
new value would be lost otherwise.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from webhook.patch.operation import Operation, unescape
from webhook.preview.contract import Placed
from webhook.preview.kubeyaml import dump
from webhook.preview.notes import Remark, Topic

_CONTAINER = re.compile(r"(.*/(?:initC|c)ontainers/\d+)/.*")
_ANNOTATIONS = "/metadata/annotations"
_REVIEWED = "/request/object"
_ITEM = re.compile(r"/items/\d+(?=/|$)")


def as_component(applicable: Sequence[Placed]) -> str:
    """Returns the component as a `kustomization.yaml`."""
    patches = [patch for placed in applicable for patch in _patches(placed)]
    return dump({"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component", "patches": patches})


def explain_unnamed(applicable: Sequence[Placed]) -> Iterator[Remark]:
    """Yields a note for each object that a kustomization cannot name."""
    for placed in applicable:
        if placed.patch and _target(_object(placed)[0]) is None:
            source = placed.source
            yield Remark(
                code=Topic.UNNAMED,
                text=f"{source.kind or 'An object'} has no name by which a kustomization could tell it, so there is no "
                "patch for it; give it a metadata.name",
                file=source.file,
                document=source.document,
            )


def _patches(placed: Placed) -> Iterator[dict[str, Any]]:
    value, pointer = _object(placed)
    target = _target(value)
    if target is None or not placed.patch:
        return
    operations = [Operation(each.op, each.path.removeprefix(pointer), each.value) for each in placed.patch]
    first = operations[0]
    if first.op == "add" and first.path == _ANNOTATIONS:
        # Of the object itself: kustomize keeps annotations of its own there while it builds.
        merged: dict[str, Any] = {key: value[key] for key in ("apiVersion", "kind") if key in value}
        metadata = {"name": value["metadata"]["name"], "annotations": msgspec.to_builtins(first.value)}
        yield {"target": target, "patch": dump({**merged, "metadata": metadata})}
        operations = operations[1:]
    if operations:
        guarded = [*_tests(value, operations), *(msgspec.to_builtins(each) for each in operations)]
        yield {"target": target, "patch": dump(guarded)}


def _object(placed: Placed) -> tuple[dict[str, Any], str]:
    """Returns the object that holds the template, out of a list or a review, and its place in the document."""
    value: Any = placed.document.value
    path, pointer = placed.source.path, ""
    if path.startswith(_REVIEWED):
        value, pointer = value["request"]["object"], _REVIEWED
    while isinstance(value.get("items"), list) and (found := _ITEM.match(path, len(pointer))):
        value, pointer = value["items"][int(found[0].rpartition("/")[2])], pointer + found[0]
    return value, pointer


def _target(value: dict[str, Any]) -> dict[str, str] | None:
    """Returns what kustomize finds the object by, each a regular expression for the whole of a field."""
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    group, _, version = str(value.get("apiVersion", "")).rpartition("/")
    fields = {
        "group": group,
        "version": version,
        "kind": value.get("kind"),
        "name": metadata.get("name"),
        "namespace": metadata.get("namespace"),
    }
    if not fields["name"] or not fields["kind"]:
        return None
    return {key: str(field).replace(".", r"\.") for key, field in fields.items() if field}


def _tests(value: dict[str, Any], operations: Sequence[Operation]) -> Iterator[dict[str, Any]]:
    """Yields what has to hold of the object for the operations to do what they were made for."""
    containers = dict.fromkeys(found[1] for each in operations if (found := _CONTAINER.fullmatch(each.path)))
    for path in containers:
        yield {"op": "test", "path": f"{path}/name", "value": _at(value, f"{path}/name")}
    for each in operations:
        if each.op == "add" and not each.path.endswith("/-"):
            yield {"op": "test", "path": each.path, "value": None}


def _at(value: Any, path: str) -> Any:  # noqa: ANN401 (any JSON)
    for key in path.split("/")[1:]:
        value = value[int(key)] if isinstance(value, list) else value[unescape(key)]
    return value
