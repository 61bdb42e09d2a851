"""The last look at a patch before it leaves.

The API server refuses a pod whose patch does not apply, or that is invalid once patched, whatever the webhook's failure
policy says. So each patch is tried on the pod as it came in. This knows nothing of how patches are built, and takes
microseconds, where a general patch library takes longer than the whole review.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from webhook.patch.operation import Operation, unescape


class BrokenPatchError(Exception):
    """The patch would not apply, or would make the pod invalid."""


def prove(operations: Iterable[Operation], pod: Any) -> None:  # noqa: ANN401 (raw JSON, of any shape)
    """Applies the operations to `pod`, raw JSON that is changed in place, and checks the names that must be unique.

    Raises:
        BrokenPatchError: an operation does not apply, or two volumes, containers or mounts of a container collide.
    """
    for path, group in groupby(operations, key=attrgetter("path")):
        try:
            _apply(path, group, pod)
        except (LookupError, TypeError, ValueError) as error:
            raise BrokenPatchError(f"the patch does not apply at {path}") from error
    spec = pod.get("spec") or {}
    lists = [spec.get(each) or [] for each in ("containers", "initContainers", "ephemeralContainers")]
    containers = [container for each in lists for container in each]
    _check_unique("volumes", [volume["name"] for volume in spec.get("volumes") or []])
    _check_unique("containers", [container["name"] for container in containers])
    for container in containers:
        _check_unique("mount paths", [mount["mountPath"] for mount in container.get("volumeMounts") or []])


def _apply(path: str, operations: Iterable[Operation], pod: Any) -> None:  # noqa: ANN401 (raw JSON, of any shape)
    """Applies operations that share a path: the place is looked for once."""
    *parents, last = path.split("/")[1:]
    target = pod
    for key in parents:
        target = target[int(key)] if isinstance(target, list) else target[unescape(key)]
    last = unescape(last)
    for operation in operations:
        if isinstance(target, list):
            if last != "-":
                raise ValueError("an entry may only be added at the end of a list")
            target.append(operation.value)
        else:
            if operation.op == "replace":
                target[last]  # raises where there is nothing to replace
            target[last] = operation.value


def _check_unique(what: str, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        raise BrokenPatchError(f"two {what} of the patched pod have the same name")
