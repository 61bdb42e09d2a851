"""Operators, terms, taints and tolerations, as the scheduler reads them."""

import pytest

from webhook.lookup.selectors import Requirement, Taint, alternatives, holds, tolerates
from webhook.pod.facts import Placement
from webhook.pod.view import NodeSelectorRequirement, NodeSelectorTerm

LABELS = {"zone": "a", "size": "8", "empty": "", "huge": "99999999999999999999"}


@pytest.mark.parametrize(
    ("key", "operator", "values", "expected"),
    [
        ("zone", "In", ("a", "b"), True),
        ("zone", "In", ("b",), False),
        ("absent", "In", ("a",), False),
        ("empty", "In", ("",), True),
        ("absent", "In", ("",), False),
        ("zone", "NotIn", ("a",), False),
        ("zone", "NotIn", ("b",), True),
        ("absent", "NotIn", ("a",), True),
        ("zone", "Exists", (), True),
        ("empty", "Exists", (), True),
        ("absent", "Exists", (), False),
        ("absent", "DoesNotExist", (), True),
        ("zone", "DoesNotExist", (), False),
        ("size", "Gt", ("7",), True),
        ("size", "Gt", ("8",), False),
        ("size", "Lt", ("9",), True),
        ("size", "Lt", ("8",), False),
        ("size", "Gte", ("8",), True),
        ("size", "Lte", ("7",), False),
        ("absent", "Gt", ("0",), False),
        ("absent", "Lt", ("9",), False),
        ("zone", "Gt", ("0",), False),
        ("size", "Gt", ("many",), False),
        ("size", "Gt", ("1_0",), False),
        ("size", "Gt", ("1", "2"), False),
        ("size", "Gt", (), False),
        ("huge", "Gt", ("1",), False),
        ("zone", "Near", ("b",), True),
    ],
)
def test_operators(key: str, operator: str, values: tuple[str, ...], expected: bool) -> None:  # noqa: FBT001 - a column
    assert holds(Requirement(key, operator, values), LABELS) is expected


def expression(key: str, *values: str) -> NodeSelectorRequirement:
    return NodeSelectorRequirement(key=key, operator="In", values=list(values))


def test_the_node_selector_holds_within_each_term_of_the_affinity() -> None:
    placement = Placement(
        node_selector={"pool": "gpu"},
        terms=(
            NodeSelectorTerm(match_expressions=[expression("zone", "a"), expression("size", "8")]),
            NodeSelectorTerm(match_fields=[expression("metadata.name", "node-1")]),
        ),
    )
    pool = Requirement("pool", "In", ("gpu",))
    assert alternatives(placement) == (
        (pool, Requirement("zone", "In", ("a",)), Requirement("size", "In", ("8",))),
        (pool, Requirement("metadata.name", "In", ("node-1",))),
    )


def test_without_constraints_any_node_will_do() -> None:
    assert alternatives(Placement()) == ((),)


def test_a_term_without_expressions_matches_no_node() -> None:
    assert alternatives(Placement(node_selector={"pool": "gpu"}, terms=(NodeSelectorTerm(),))) == ()


GPU = Taint("nvidia.com/gpu", "present", "NoSchedule")


@pytest.mark.parametrize(
    ("taint", "toleration", "expected"),
    [
        (GPU, ("nvidia.com/gpu", "Exists", None, None), True),
        (GPU, ("nvidia.com/gpu", "Exists", None, "NoSchedule"), True),
        (GPU, ("nvidia.com/gpu", "Exists", None, "NoExecute"), False),
        (GPU, ("nvidia.com/gpu", "Equal", "present", "NoSchedule"), True),
        (GPU, ("nvidia.com/gpu", None, "present", None), True),
        (GPU, ("nvidia.com/gpu", "Equal", "true", None), False),
        (GPU, ("nvidia.com/gpu", "Equal", None, None), False),
        (GPU, (None, "Exists", None, None), True),
        (GPU, ("", "Exists", None, None), True),
        (GPU, (None, "Equal", None, None), False),
        (GPU, ("other", "Exists", None, None), False),
        (Taint("soft", "", "PreferNoSchedule"), ("other", "Exists", None, None), True),
        (Taint("bare", "", "NoExecute"), ("bare", "Equal", None, None), True),
    ],
)
def test_tolerations(
    taint: Taint,
    toleration: tuple[str | None, str | None, str | None, str | None],
    expected: bool,  # noqa: FBT001 - a column
) -> None:
    assert tolerates(Placement(tolerations=(toleration,)), [taint], None) is expected


def test_a_taint_named_after_the_device_asked_for_is_tolerated() -> None:
    assert not tolerates(Placement(), [GPU], None)
    assert tolerates(Placement(), [GPU], "nvidia.com/gpu")


def test_every_taint_must_be_tolerated() -> None:
    placement = Placement(tolerations=(("a", "Exists", None, None),))
    assert not tolerates(placement, [Taint("a", "", "NoSchedule"), Taint("b", "", "NoSchedule")], None)
