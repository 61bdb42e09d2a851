"""What the pod says about the node it may run on."""

from collections.abc import Mapping

from webhook.pod.facts import Placement
from webhook.pod.resources import gpus_of
from webhook.pod.view import Pod, PodSpec

_FARGATE_PROFILE = "eks.amazonaws.com/fargate-profile"
_COMPUTE_TYPE = "eks.amazonaws.com/compute-type"
_FARGATE_SCHEDULER = "fargate-scheduler"
_OS_LABELS = ("kubernetes.io/os", "beta.kubernetes.io/os")


def placement_of(pod: Pod, spec: PodSpec) -> Placement:
    """Reads node name, selector, the affinity that binds, tolerations and the GPUs of all containers together."""
    affinity = spec.affinity.node_affinity if spec.affinity is not None else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity is not None else None
    selector = present(spec.node_selector)
    return Placement(
        node_name=spec.node_name or None,
        node_selector=selector,
        terms=tuple(required.node_selector_terms or ()) if required is not None else (),
        tolerations=tuple((t.key, t.operator, t.value, t.effect) for t in spec.tolerations or ()),
        gpus=_all_gpus(spec),
        fargate=_is_fargate(pod, spec, selector),
    )


def present(mapping: Mapping[str, str | None] | None) -> dict[str, str]:
    """A mapping without the keys whose value is null."""
    return {key: value for key, value in (mapping or {}).items() if value is not None}


def runs_on_windows(spec: PodSpec) -> bool:
    """Whether the pod asks for a Windows node."""
    selector = spec.node_selector or {}
    named = spec.os.name if spec.os is not None else None
    return named == "windows" or any(selector.get(label) == "windows" for label in _OS_LABELS)


def _all_gpus(spec: PodSpec) -> int | None:
    counts = [gpus_of(container.resources)[0] for container in spec.containers or ()]
    return None if None in counts else sum(count or 0 for count in counts)


def _is_fargate(pod: Pod, spec: PodSpec, selector: Mapping[str, str]) -> bool:
    metadata = pod.metadata
    marks = {**present(metadata.labels), **present(metadata.annotations)} if metadata is not None else {}
    return (
        _FARGATE_PROFILE in marks
        or spec.scheduler_name == _FARGATE_SCHEDULER
        or selector.get(_COMPUTE_TYPE) == "fargate"
    )
