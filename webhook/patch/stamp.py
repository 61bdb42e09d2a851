"""The annotations that tell on the pod itself what was done to it, and why."""

from webhook.patch.operation import Operation, escape
from webhook.plan.types import Plan
from webhook.pod.facts import PodFacts

# A pod's annotations, keys and values together, may take 256 KiB (Kubernetes API validation). One that is full already
# must not be refused because of ours.
_TOTAL_BYTES = 256 * 1024
# A summary is a few kB; this keeps one that is not from crowding out what others still want to add.
_VALUE_CHARACTERS = 16 * 1024


def stamp(facts: PodFacts, plan: Plan) -> list[Operation]:
    """Returns the operations that write `status`, `reasons` and `plan`, as far as the pod has room for them."""
    metadata = facts.view.metadata
    existing = metadata.annotations if metadata else None
    values = _fitting(_values(facts.annotations.prefix, plan), existing or {})
    if not values:
        return []
    if metadata is None:
        return [Operation("add", "/metadata", {"annotations": values})]
    if existing is None:
        return [Operation("add", "/metadata/annotations", values)]
    # `replace` wants a member that is there; whether a null one is, patch libraries do not agree.
    return [
        Operation("add" if existing.get(key) is None else "replace", f"/metadata/annotations/{escape(key)}", value)
        for key, value in values.items()
        if existing.get(key) != value
    ]


def _values(prefix: str, plan: Plan) -> dict[str, str]:
    reasons = ",".join(dict.fromkeys(reason.code for reason in plan.reasons))
    return {f"{prefix}/status": plan.status, f"{prefix}/reasons": reasons, f"{prefix}/plan": plan.summary}


def _fitting(values: dict[str, str], existing: dict[str, str | None]) -> dict[str, str]:
    """Keeps the values that fit beside the user's annotations, in order: the status matters most."""
    room = _TOTAL_BYTES - sum(_size(key, value or "") for key, value in existing.items() if key not in values)
    fitting: dict[str, str] = {}
    for key, value in values.items():
        room -= _size(key, value)
        if room < 0 or len(value) > _VALUE_CHARACTERS:
            break
        fitting[key] = value
    return fitting


def _size(key: str, value: str) -> int:
    return len(key.encode()) + len(value.encode())
