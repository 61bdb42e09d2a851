"""Whether workloads are annotated where fastload reads it: on their pod template, not on themselves."""

from collections.abc import Iterator
from typing import Any

from webhook.doctor.facts import Facts
from webhook.doctor.finding import Check, Finding, Level, Unread, counted, unread
from webhook.doctor.views import Workload
from webhook.pod.misplaced import misplaced
from webhook.pod.template import find_templates

_ABSENT = 404
_MOST = 20


def check_workloads(facts: Facts) -> Iterator[Finding]:
    """Checks the workloads of every kind that could be read."""
    seen, lost = 0, list[Finding]()
    for kind, found in facts.workloads.items():
        if isinstance(found, Unread):
            if found.status != _ABSENT:  # a kind that the cluster does not have
                yield unread(Check.WORKLOADS, found)
            continue
        seen += len(found)
        lost += [finding for each in found for finding in _misplaced(kind, each, facts.settings.prefix)]
    yield from lost[:_MOST]
    if len(lost) > _MOST:
        text = f"{counted(len(lost) - _MOST, 'more workload')} are annotated in the wrong place"
        yield Finding(Check.WORKLOADS, Level.PROBLEM, text)
    if seen and not lost:
        text = f"{counted(seen, 'workload')} looked at, and none is annotated in the wrong place"
        yield Finding(Check.WORKLOADS, Level.OK, text)


def _misplaced(kind: str, workload: Workload, prefix: str) -> Iterator[Finding]:
    metadata = workload.metadata
    annotations = metadata.annotations or {}
    controlled = any(each.controller for each in metadata.owner_references or ())
    if controlled or not any(key.startswith(f"{prefix}/") for key in annotations):
        return
    document: dict[str, Any] = {
        "kind": kind,
        "metadata": {"name": metadata.name, "annotations": annotations},
        "spec": workload.spec or {},
    }
    for reason in misplaced(find_templates(document), prefix):
        fix = "move it into the pod template; its pods are then made anew, and tuned"
        yield Finding(Check.WORKLOADS, Level.PROBLEM, f"{kind} {metadata.where}: {reason.text}", fix)
