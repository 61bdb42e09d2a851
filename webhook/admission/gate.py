"""The gate: which requests are fastload's to act on. It comes before any engine is looked for, and is cheap.

The pod's own `inject` annotation decides where it is there; else the namespace's label does. A workload asks by its pod
templates, and with the same words.
"""

from enum import StrEnum
from typing import Protocol

from webhook.admission.deadline import within
from webhook.admission.decision import Decision, Outcome
from webhook.admission.review import GroupVersionKind, GroupVersionResource, Request
from webhook.lookup.facts import Namespace, Unknown
from webhook.pod.annotations import read_inject
from webhook.pod.facts import PodFacts
from webhook.pod.view import Pod
from webhook.reasons import Code, Reason, because

_POD_KIND = GroupVersionKind(version="v1", kind="Pod")
_POD_RESOURCE = GroupVersionResource(version="v1", resource="pods")
# The kinds that the workloads' webhook is called for: group, version, kind, resource.
_WORKLOADS = frozenset(
    (GroupVersionKind(group, version, kind), GroupVersionResource(group, version, resource))
    for group, version, kind, resource in (
        ("apps", "v1", "Deployment", "deployments"),
        ("apps", "v1", "StatefulSet", "statefulsets"),
        ("batch", "v1", "Job", "jobs"),
        ("batch", "v1", "CronJob", "cronjobs"),
        ("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets"),
    )
)


class OptIn(StrEnum):
    """Who asked for fastload."""

    POD = "pod"
    NAMESPACE = "namespace"


class NamespaceSource(Protocol):
    """Where a namespace's label is known from."""

    def known_namespace(self, name: str) -> Namespace | Unknown | None:
        """Returns the namespace from memory, without I/O; None where it has to be fetched first."""

    async def find_namespace(self, name: str) -> Namespace | Unknown:
        """Fetches the namespace within the look-ups' deadline. Never raises."""


def creates_pod(request: Request) -> bool:
    """Tells whether the request creates a pod, and is not for a subresource of one."""
    return (
        request.operation == "CREATE"
        and not request.sub_resource
        and request.kind == _POD_KIND
        and request.resource == _POD_RESOURCE
    )


def writes_workload(request: Request) -> bool:
    """Tells whether the request creates or changes a workload, and is not for a subresource of one."""
    return (
        request.operation in ("CREATE", "UPDATE")
        and not request.sub_resource
        and (request.kind, request.resource) in _WORKLOADS
    )


def asked_by_pod(pod: Pod, prefix: str) -> OptIn | Decision | None:
    """Reads the `inject` annotation: opted in, left alone with the reason, or None where the pod does not say."""
    match read_inject(pod.metadata.annotations if pod.metadata else None, prefix):
        case Reason() as problem:
            return Decision(outcome=Outcome.IGNORED, reasons=(problem,), warnings=(problem.text,))
        case True:
            return OptIn.POD
        case False:
            reason = because(Code.OPTED_OUT, annotation=f"{prefix}/inject")
            return Decision(outcome=Outcome.IGNORED, reasons=(reason,))
        case None:
            return None


async def asked_by_namespace(namespaces: NamespaceSource, name: str, due: float) -> OptIn | Decision:
    """Reads the namespace's label.

    Raises:
        TooLateError: the namespace was not known when the monotonic clock said `due`.
    """
    namespace = namespaces.known_namespace(name)
    if namespace is None:
        namespace = await within(due, namespaces.find_namespace(name))
    return heard_from(namespace)


def heard_from(namespace: Namespace | Unknown) -> OptIn | Decision:
    """Reads what a namespace's label asks for; a namespace of which nothing is known has not asked."""
    if isinstance(namespace, Unknown):
        return Decision(outcome=Outcome.IGNORED, reasons=(because(Code.NOT_OPTED_IN), namespace.reason))
    if namespace.opted_in:
        return OptIn.NAMESPACE
    return Decision(outcome=Outcome.IGNORED, reasons=(because(Code.NOT_OPTED_IN),))


def is_bystander(facts: PodFacts) -> bool:
    """Tells whether no engine is to be seen in the pod: where only its namespace asked, such a pod stays unmarked."""
    return facts.launch is None and all(skip.code is not Code.SEVERAL_ENGINES for skip in facts.skips)
