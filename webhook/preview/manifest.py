"""A patch applied to its document, and as a client sends it."""

from collections.abc import Sequence
from typing import Any

import msgspec

from webhook.patch.operation import Operation, unescape


def apply(value: dict[str, Any], patch: tuple[Operation, ...]) -> dict[str, Any]:
    """Returns the document with the operations applied; the given one is left as it is, and shares what stays."""
    patched: dict[str, Any] = value
    for operation in patch:
        keys = [unescape(key) for key in operation.path.split("/")[1:]]
        patched = _changed(patched, keys, operation)
    return patched


def _changed(value: Any, keys: Sequence[str], operation: Operation) -> Any:  # noqa: ANN401 (any JSON)
    """Returns a copy of each object and list on the way to what the operation changes."""
    key, *rest = keys
    if isinstance(value, dict):
        return {**value, key: _changed(value[key], rest, operation) if rest else msgspec.to_builtins(operation.value)}
    at = len(value) if key == "-" else int(key)
    if rest:
        return [*value[:at], _changed(value[at], rest, operation), *value[at + 1 :]]
    kept = at if operation.op == "add" else at + 1
    return [*value[:at], msgspec.to_builtins(operation.value), *value[kept:]]


def as_patches(patches: Sequence[tuple[Operation, ...]]) -> str:
    """Writes a JSON patch for each document, one a line, as `kubectl patch --type json` takes it."""
    return "".join(msgspec.json.encode(patch).decode() + "\n" for patch in patches)
