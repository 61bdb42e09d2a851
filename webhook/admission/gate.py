"""The gate: which requests are fastload's to act on. It comes before any engine is looked for, and is cheap.

The pod's own `inject` annotation decides where it is there; else the namespace's label does.
"""

from enum import StrEnum
from typing import Protocol

from webhook.admission.decision import Decision, Outcome
from webhook.admission.review import GroupVersionKind, GroupVersionResource, Request
from webhook.lookup.facts import Namespace, Unknown
from webhook.pod.annotations import read_inject
from webhook.pod.view import Pod
from webhook.reasons import Code, Reason, because

_POD_KIND = GroupVersionKind(version="v1", kind="Pod")
_POD_RESOURCE = GroupVersionResource(version="v1", resource="pods")


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


def asked_by_namespace(namespace: Namespace | Unknown) -> OptIn | Decision:
    """Reads the namespace's label; a namespace of which nothing is known has not asked."""
    if isinstance(namespace, Unknown):
        return Decision(outcome=Outcome.IGNORED, reasons=(because(Code.NOT_OPTED_IN), namespace.reason))
    if namespace.opted_in:
        return OptIn.NAMESPACE
    return Decision(outcome=Outcome.IGNORED, reasons=(because(Code.NOT_OPTED_IN),))
