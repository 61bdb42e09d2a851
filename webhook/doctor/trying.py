"""What is tried: rights, a pod as a dry run, and previews by the running fastload. Nothing of it is stored."""

import asyncio
import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

import msgspec

from webhook.doctor.facts import Access, Asked, Place, Probe, Right, Settings
from webhook.doctor.finding import Unread
from webhook.doctor.kube import Api
from webhook.doctor.own_views import Deployment
from webhook.doctor.reading import Reader
from webhook.doctor.review import sample_pod
from webhook.doctor.rights import needed, unneeded
from webhook.doctor.views import Metadata, Object, Pod
from webhook.lookup.watching import KubeError, decode

_ACCESS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
_FORBIDDEN = 403
# What RBAC says, and no admission plugin does.
_NO_RIGHT = "cannot create resource"
_MOST_PODS = 3


class _Status(msgspec.Struct, frozen=True):
    allowed: bool = False


class _Review(msgspec.Struct, frozen=True):
    status: _Status = _Status()


def decoded(text: str) -> bytes | None:
    """Returns what a Secret holds below one key; None where it holds nothing."""
    try:
        return base64.b64decode(text) if text else None
    except binascii.Error:
        return b""


async def access(
    reader: Reader, place: Place, deployment: Deployment | Unread | None, settings: Settings
) -> tuple[Access, ...] | Unread:
    """Asks what fastload's service account may do; of nobody where no Deployment names one."""
    if isinstance(deployment, Unread):
        return deployment
    if deployment is None:
        return ()
    account = deployment.spec.template.spec.service_account_name
    rights = [*((right, True) for right in needed(place, settings)), *((right, False) for right in unneeded())]
    answers = await asyncio.gather(
        *(
            reader.ask(_ACCESS, _question(place, account, right), "create subjectaccessreviews.authorization.k8s.io")
            for right, _ in rights
        )
    )
    found: list[Access] = []
    for (right, wanted), answer in zip(rights, answers, strict=True):
        if isinstance(answer, Unread):
            return answer
        allowed = decode(msgspec.json.Decoder(_Review), answer).status.allowed
        found.append(Access(right=right, needed=wanted, allowed=allowed))
    return tuple(found)


def _question(place: Place, account: str, right: Right) -> Mapping[str, Any]:
    accounts = "system:serviceaccounts"
    attributes = {"verb": right.verb, "group": right.group, "resource": right.resource}
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": f"system:serviceaccount:{place.namespace}:{account}",
            "groups": [accounts, f"{accounts}:{place.namespace}", "system:authenticated"],
            "resourceAttributes": {**attributes, "namespace": right.namespace, "name": right.name},
        },
    }


async def probe(reader: Reader, namespace: str, prefix: str) -> Probe | Unread:
    """Creates a pod that asks, as a dry run."""
    answer = await reader.ask(
        f"/api/v1/namespaces/{namespace}/pods",
        sample_pod(prefix),
        f"create pods in namespace {namespace} (nothing is made)",
        {"dryRun": "All"},
    )
    if isinstance(answer, Unread):
        if answer.status is None or (answer.status == _FORBIDDEN and _NO_RIGHT in answer.problem):
            return answer
        return Probe(namespace, refusal=answer.problem)
    annotations = decode(msgspec.json.Decoder(Object), answer).metadata.annotations or {}
    return Probe(namespace, status=annotations.get(f"{prefix}/status"))


async def asked(api: Api, place: Place, pods: tuple[Pod, ...] | Unread, prefix: str) -> Asked | Unread | None:
    """Asks the running fastload for previews of a few pods that asked for it, through the API server's proxy."""
    if isinstance(pods, Unread):
        return pods
    chosen = _chosen(pods, prefix)
    if not chosen:
        return None
    right = f"create services/proxy in namespace {place.namespace}"
    try:
        items = [await api.get(f"/api/v1/namespaces/{each.namespace}/pods/{each.name}", {}) for each in chosen]
        answer = await api.post(
            f"/api/v1/namespaces/{place.namespace}/services/{place.name}:admin/proxy/preview",
            {},
            {"apiVersion": "v1", "kind": "List", "items": [_sent(json.loads(each)) for each in items]},
        )
        return decode(msgspec.json.Decoder(Asked), answer)
    except KubeError as fault:
        return Unread(right, str(fault), fault.status)


def _chosen(pods: tuple[Pod, ...], prefix: str) -> list[Metadata]:
    """Returns pods that fastload met, each of another decision."""
    met = {
        (each.metadata.namespace, plan): each.metadata
        for each in pods
        if (plan := (each.metadata.annotations or {}).get(f"{prefix}/plan"))
    }
    return list(met.values())[:_MOST_PODS]


def _sent(pod: dict[str, Any]) -> dict[str, Any]:
    """Returns what of a pod a review would show."""
    metadata = {key: value for key, value in pod.get("metadata", {}).items() if key != "managedFields"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod.get("spec", {})}
