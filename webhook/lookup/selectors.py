"""Node selectors as the scheduler reads them: operators, terms, taints and tolerations. Pure.

Source: the Kubernetes API reference (NodeSelectorTerm, Toleration) and Karpenter's NodePool documentation, whose
operators are these and Gte and Lte.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from webhook.pod.facts import Placement
from webhook.pod.view import NodeSelectorRequirement

# Pseudo-label under which a requirement on a node's field (matchFields) is kept; the API knows no other field.
NODE_NAME_FIELD = "metadata.name"

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_BINDING_EFFECTS = frozenset({"NoSchedule", "NoExecute"})


class Requirement(NamedTuple):
    """One expression: a label's key, an operator, and the operator's values."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


Term = tuple[Requirement, ...]


class Taint(NamedTuple):
    """A taint of a node."""

    key: str
    value: str
    effect: str


def holds(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    """Tells whether labels satisfy a requirement. An operator that is not known holds: it is not ours to refuse."""
    judge = _OPERATORS.get(requirement.operator)
    return judge is None or judge(labels.get(requirement.key), requirement.values)


def all_hold(term: Iterable[Requirement], labels: Mapping[str, str]) -> bool:
    """Tells whether labels satisfy every requirement of a term."""
    return all(holds(requirement, labels) for requirement in term)


def alternatives(placement: Placement) -> tuple[Term, ...]:
    """Returns the terms of which a node must satisfy one: the node selector within each term of the required affinity.

    A term without any expression matches no node, as the API defines it, so it is not among them.
    """
    selector = tuple(Requirement(key, "In", (value,)) for key, value in placement.node_selector.items())
    if not placement.terms:
        return (selector,)
    terms = ((*_requirements(term.match_expressions), *_requirements(term.match_fields)) for term in placement.terms)
    return tuple(selector + term for term in terms if term)


def tolerates(placement: Placement, taints: Iterable[Taint], resource: str | None) -> bool:
    """Tells whether a pod may be scheduled onto a node with these taints.

    A taint named after the accelerator that the pod asks for counts as tolerated: the API server's
    ExtendedResourceToleration adds that toleration, possibly after us.
    """
    return all(
        taint.effect not in _BINDING_EFFECTS
        or taint.key == resource
        or any(_tolerated(taint, *toleration) for toleration in placement.tolerations)
        for taint in taints
    )


def _tolerated(taint: Taint, key: str | None, operator: str | None, value: str | None, effect: str | None) -> bool:
    if effect and effect != taint.effect:
        return False
    if not key:
        return operator == "Exists"
    if key != taint.key:
        return False
    return operator not in (None, "", "Equal") or (value or "") == taint.value


def _requirements(expressions: Iterable[NodeSelectorRequirement] | None) -> Term:
    return tuple(Requirement(each.key, each.operator, tuple(each.values or ())) for each in expressions or ())


def _compare(relation: Callable[[int, int], bool]) -> Callable[[str | None, tuple[str, ...]], bool]:
    """Builds the judge of a numeric operator: the label's value and the one bound must both be integers."""

    def judge(value: str | None, bounds: tuple[str, ...]) -> bool:
        if value is None or len(bounds) != 1:
            return False
        if not (_INTEGER.fullmatch(value) and _INTEGER.fullmatch(bounds[0])):
            return False
        return relation(int(value), int(bounds[0]))

    return judge


_OPERATORS: dict[str, Callable[[str | None, tuple[str, ...]], bool]] = {
    "In": lambda value, values: value is not None and value in values,
    "NotIn": lambda value, values: value is None or value not in values,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
    "Gt": _compare(lambda value, bound: value > bound),
    "Lt": _compare(lambda value, bound: value < bound),
    "Gte": _compare(lambda value, bound: value >= bound),
    "Lte": _compare(lambda value, bound: value <= bound),
}
