"""A patch applied to the document that it is for: as any JSON patch library would, and in a copy."""

import copy
from typing import Any

import jsonpatch
import pytest

from webhook.patch.operation import Operation
from webhook.preview.manifest import apply

DOCUMENT: dict[str, Any] = {"items": [{"a": 1}, {"b": [1, 2]}], "with/slash": {"~": None}}


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(Operation("add", "/new", {"x": 1}), id="a key"),
        pytest.param(Operation("replace", "/items/0/a", 2), id="another value"),
        pytest.param(Operation("add", "/items/1/b/-", 3), id="at the end of a list"),
        pytest.param(Operation("add", "/items/1/b/0", 0), id="before another"),
        pytest.param(Operation("replace", "/items/1/b/0", 0), id="in the place of another"),
        pytest.param(Operation("add", "/with~1slash/~0", 3), id="escaped keys"),
    ],
)
def test_it_is_applied_as_the_standard_says(operation: Operation) -> None:
    before = copy.deepcopy(DOCUMENT)
    expected = jsonpatch.apply_patch(before, [{"op": operation.op, "path": operation.path, "value": operation.value}])
    assert apply(DOCUMENT, (operation,)) == expected
    assert before == DOCUMENT


def test_one_operation_builds_on_another() -> None:
    operations = (Operation("add", "/env", []), Operation("add", "/env/-", 1), Operation("add", "/env/-", 2))
    assert apply({}, operations) == {"env": [1, 2]}
