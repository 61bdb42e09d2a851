from copy import deepcopy

import msgspec
import pytest

from tests.patched import Json, apply
from webhook.patch.operation import Operation
from webhook.patch.proof import BrokenPatchError, prove

POD: Json = {
    "metadata": {"annotations": {"fastload.dev/status": "skipped", "a/b~c": "x"}},
    "spec": {
        "volumes": [{"name": "data"}],
        "initContainers": None,
        "containers": [{"name": "m", "env": [], "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
    },
}
SOUND = [
    Operation("replace", "/metadata/annotations/fastload.dev~1status", "injected"),
    Operation("replace", "/metadata/annotations/a~1b~0c", "y"),
    Operation("add", "/metadata/annotations/new", "x"),
    Operation("add", "/spec/initContainers", [{"name": "i"}]),
    Operation("add", "/spec/containers/0/env/-", {"name": "A", "value": "1"}),
    Operation("add", "/spec/containers/0/volumeMounts/-", {"name": "data", "mountPath": "/more"}),
]


def test_a_sound_patch_passes_and_does_what_a_patch_library_does() -> None:
    pod = deepcopy(POD)
    prove(SOUND, pod)
    assert pod == apply(POD, SOUND)


def test_the_patch_itself_is_not_changed_by_the_proof() -> None:
    before = msgspec.json.encode(SOUND)
    prove(SOUND, deepcopy(POD))
    assert msgspec.json.encode(SOUND) == before


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(Operation("add", "/spec/containers/1/env/-", {}), id="no such container"),
        pytest.param(Operation("add", "/spec/initContainers/-", {}), id="append to a null"),
        pytest.param(Operation("add", "/spec/absent/-", {}), id="append to what is absent"),
        pytest.param(Operation("add", "/spec/containers/x/env", []), id="a key into a list"),
        pytest.param(Operation("add", "/metadata/annotations/a~1b~0c/deep", "x"), id="into a string"),
        pytest.param(Operation("add", "/spec/volumes/0", {"name": "v"}), id="into the middle of a list"),
        pytest.param(Operation("replace", "/metadata/annotations/absent", "x"), id="replace what is absent"),
    ],
)
def test_an_operation_that_does_not_apply_is_caught(operation: Operation) -> None:
    with pytest.raises(BrokenPatchError, match="does not apply"):
        prove([operation], deepcopy(POD))


@pytest.mark.parametrize(
    ("operation", "what"),
    [
        (Operation("add", "/spec/volumes/-", {"name": "data"}), "volumes"),
        (Operation("add", "/spec/initContainers", [{"name": "m"}]), "containers"),
        (Operation("add", "/spec/containers/0/volumeMounts/-", {"name": "x", "mountPath": "/data"}), "mount paths"),
    ],
)
def test_a_patch_that_makes_the_pod_invalid_is_caught(operation: Operation, what: str) -> None:
    with pytest.raises(BrokenPatchError, match=f"two {what}"):
        prove([operation], deepcopy(POD))
