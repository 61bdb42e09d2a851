"""Ways to break an installation for a while."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cluster.control_plane import ControlPlane
from tests.e2e.installation import NAMESPACE
from tests.e2e.pods import Json


@contextmanager
def patched(control_plane: ControlPlane, what: str, *operations: Json) -> Iterator[None]:
    """Change an object of the installation by a JSON patch for the time of a `with` block."""
    before = control_plane.get(what, "--namespace", NAMESPACE)
    patch = json.dumps(operations)
    control_plane.kubectl("patch", what, "--namespace", NAMESPACE, "--type", "json", "--patch", patch)
    try:
        yield
    finally:
        del before["metadata"]["resourceVersion"]
        control_plane.kubectl("replace", "-f", "-", stdin=json.dumps(before))


@contextmanager
def deleted(control_plane: ControlPlane, what: str) -> Iterator[None]:
    """Delete an object of the installation for the time of a `with` block."""
    before = control_plane.get(what, "--namespace", NAMESPACE)
    control_plane.kubectl("delete", what, "--namespace", NAMESPACE)
    try:
        yield
    finally:
        for member in ("resourceVersion", "uid"):
            del before["metadata"][member]
        control_plane.kubectl("create", "-f", "-", stdin=json.dumps(before))


def bundle(number: int, content: bytes) -> Json:
    value = base64.b64encode(content).decode()
    return {"op": "replace", "path": f"/webhooks/{number}/clientConfig/caBundle", "value": value}
