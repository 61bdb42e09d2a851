"""One JSON patch operation (RFC 6902), and the few ways fastload makes one."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec


class Operation(msgspec.Struct, frozen=True):
    """One operation; encodes to JSON as exactly `op`, `path` and `value`."""

    op: Literal["add", "replace"]
    path: str
    value: Any


def escape(key: str) -> str:
    """Escapes one key for use in a JSON pointer (RFC 6901): `~` before `/`, or `/` would be escaped twice."""
    return key.replace("~", "~0").replace("/", "~1")


def unescape(key: str) -> str:
    """Reads a key as it stands in a JSON pointer; the reverse of `escape`."""
    return key.replace("~1", "/").replace("~0", "~") if "~" in key else key


def extend(path: str, existing: Sequence[object] | None, entries: Sequence[object]) -> list[Operation]:
    """Adds entries at the end of the list at `path`.

    A list that is absent or null has no end to append to, so it is created whole.
    """
    if not entries:
        return []
    if existing is None:
        return [Operation("add", path, list(entries))]
    return [Operation("add", f"{path}/-", entry) for entry in entries]


def rebase(operations: Iterable[Operation], pointer: str) -> tuple[Operation, ...]:
    """Moves operations from a pod to the document that holds it at `pointer` ("" where they are the same)."""
    return tuple(Operation(each.op, pointer + each.path, each.value) for each in operations)
