"""Finds the pod templates in a document: a Pod, a workload that makes pods, or a list of such.

Workloads differ only in where the template lies and what their controller adds to its containers' environment, so each
kind is one row of a table. A kind that is not in the table counts if it is shaped like one (`spec.template.spec` with
containers).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

_Json = dict[str, Any]
_Path = tuple[str | int, ...]


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """A pod, or the template of one, within a document.

    `pointer` is the JSON pointer from the document to the template ("" for a bare Pod); `kind` and `name` are the
    workload's; `ambient` is environment that its controller will add. `annotations` are the workload's own, which
    nothing reads, and `base` is the pointer to the workload.
    """

    kind: str
    name: str | None
    namespace: str | None
    pointer: str
    ambient: Mapping[str, str]
    template: _Json
    annotations: Mapping[str, object] = {}
    base: str = ""


class _Place(msgspec.Struct, frozen=True):
    """Where a template lies in a workload, and what is added to its environment."""

    path: _Path
    ambient: Mapping[str, str] = {}


_Places = Callable[[_Json], Iterator[_Place]]


def find_templates(document: _Json) -> list[Template]:
    """The pod templates of one document, in the order in which they stand; empty for anything else. Never raises."""
    return list(_find(document, ()))


def _find(document: object, base: _Path, listed: str = "") -> Iterator[Template]:
    """Finds the templates below one object; `listed` is its kind where the list that it stands in tells it."""
    if not isinstance(document, dict):
        return
    kind = document.get("kind", listed)
    items = document.get("items")
    if isinstance(items, list) and isinstance(kind, str) and kind.endswith("List"):
        for at, item in enumerate(items):
            yield from _find(item, (*base, "items", at), kind.removesuffix("List"))
        return
    places = _PLACES.get(kind, _generic) if isinstance(kind, str) else _generic
    metadata = _mapping(document.get("metadata"))
    for place in places(document):
        template = _at(document, place.path)
        if isinstance(template, dict) and (kind == "Pod" or _is_pod(template)):
            yield Template(
                kind=kind if isinstance(kind, str) else "",
                name=_text(metadata.get("name")) or _text(metadata.get("generateName")),
                namespace=_text(metadata.get("namespace")),
                pointer=_pointer((*base, *place.path)),
                ambient=place.ambient,
                template=template,
                annotations=_mapping(metadata.get("annotations")),
                base=_pointer(base),
            )


def _is_pod(template: _Json) -> bool:
    return isinstance(_mapping(template.get("spec")).get("containers"), list)


def _at(document: object, path: _Path) -> object:
    for key in path:
        if isinstance(document, list) and isinstance(key, int) and key < len(document):
            document = document[key]
        elif isinstance(document, dict) and isinstance(key, str):
            document = document.get(key)
        else:
            return None
    return document


def _pointer(path: _Path) -> str:
    """RFC 6901: `~` and `/` within a key are escaped."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)


def _mapping(value: object) -> _Json:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _items(document: _Json, path: _Path) -> Iterator[int]:
    """Indexes of the list at a path, if there is one."""
    listed = _at(document, path)
    yield from range(len(listed) if isinstance(listed, list) else 0)


# Places, by kind ---------------------------------------------------------------------------------------------------


def _fixed(*path: str) -> _Places:
    def places(_document: _Json) -> Iterator[_Place]:
        yield _Place(path)

    return places


def _generic(_document: _Json) -> Iterator[_Place]:
    yield _Place(("spec", "template"))


def _job(document: _Json) -> Iterator[_Place]:
    """Kubernetes' Job has one template; Volcano's, of the same kind, has one for each task."""
    yield from _generic(document)
    for at in _items(document, ("spec", "tasks")):
        yield _Place(("spec", "tasks", at, "template"))


def _leader_worker_set(document: _Json) -> Iterator[_Place]:
    """Leader and workers; a set without a leader's template makes its leader from the workers'.

    The controller adds LWS_GROUP_SIZE and LWS_WORKER_INDEX to every container, and the leader's index is 0.
    """
    base = ("spec", "leaderWorkerTemplate")
    size = _at(document, (*base, "size"))
    ambient = {"LWS_GROUP_SIZE": str(size)} if isinstance(size, int) else {}
    yield _Place((*base, "leaderTemplate"), {**ambient, "LWS_WORKER_INDEX": "0"})
    yield _Place((*base, "workerTemplate"), ambient)


def _ray_groups(*base: str) -> _Places:
    def places(document: _Json) -> Iterator[_Place]:
        yield _Place((*base, "headGroupSpec", "template"))
        for at in _items(document, (*base, "workerGroupSpecs")):
            yield _Place((*base, "workerGroupSpecs", at, "template"))

    return places


def _ray_job(document: _Json) -> Iterator[_Place]:
    yield from _ray_groups("spec", "rayClusterSpec")(document)
    yield _Place(("spec", "submitterPodTemplate"))


def _job_set(document: _Json) -> Iterator[_Place]:
    for at in _items(document, ("spec", "replicatedJobs")):
        yield _Place(("spec", "replicatedJobs", at, "template", "spec", "template"))


def _replica_specs(document: _Json) -> Iterator[_Place]:
    """Kubeflow's training jobs: templates under `spec.<kind>ReplicaSpecs.<role>`."""
    for key, roles in _mapping(document.get("spec")).items():
        if key.endswith("ReplicaSpecs"):
            for role in _mapping(roles):
                yield _Place(("spec", key, role, "template"))


def _roles(document: _Json) -> Iterator[_Place]:
    """AIBrix: a StormService holds roles, each with a template, below its own template."""
    for base in (("spec", "template", "spec", "roles"), ("spec", "roles")):
        for at in _items(document, base):
            yield _Place((*base, at, "template"))


_PLACES: dict[str, _Places] = {
    "Pod": _fixed(),
    "PodTemplate": _fixed("template"),
    "Job": _job,
    "CronJob": _fixed("spec", "jobTemplate", "spec", "template"),
    "LeaderWorkerSet": _leader_worker_set,
    "RayCluster": _ray_groups("spec"),
    "RayService": _ray_groups("spec", "rayClusterConfig"),
    "RayJob": _ray_job,
    "RayClusterFleet": _ray_groups("spec", "template", "spec"),
    "JobSet": _job_set,
    "PyTorchJob": _replica_specs,
    "MPIJob": _replica_specs,
    "StormService": _roles,
    "RoleSet": _roles,
}
