"""The facts of a healthy installation, for tests that make one thing of it ill."""

import base64
import datetime as dt
from typing import Any

import msgspec
from cryptography.hazmat.primitives.serialization import Encoding

from webhook.certificates import issuing
from webhook.doctor.facts import Access, Facts, Place, Probe
from webhook.doctor.finding import Check, Finding, Level, Unread
from webhook.doctor.own_views import Deployment, EndpointSlice, Service
from webhook.doctor.rights import needed, unneeded
from webhook.doctor.views import Object, Pod, Version, WebhookConfiguration, Workload

Json = dict[str, Any]

NOW = dt.datetime(2027, 1, 1, tzinfo=dt.UTC)
NAME = "fastload.fastload.svc"
PLACE = Place("fastload", "fastload")
FORBIDDEN = Unread("list things", "/things: 403 Forbidden", 403)
AWAY = Unread("list things", "/things: TimeoutError")


class Issued(msgspec.Struct, frozen=True):
    """A certificate, and the bundle of its authority as a webhook has it."""

    certificate: bytes
    bundle: str


def issue(name: str = NAME, *, days: float = 90, since: float = 0) -> Issued:
    """Issue a certificate that is good for so many days, from so many days ago on."""
    issued = issuing.issue([name], NOW - dt.timedelta(days=since), dt.timedelta(days=days))
    authority = issued.authority.public_bytes(Encoding.PEM)
    return Issued(issued.leaf.chain, base64.b64encode(authority).decode())


GOOD = issue()
CALLED = {"name": "fastload", "namespace": "fastload", "path": "/mutate", "port": 443}
EXCLUDED = {
    "matchExpressions": [
        {
            "key": "kubernetes.io/metadata.name",
            "operator": "NotIn",
            "values": ["kube-system", "kube-node-lease", "fastload"],
        }
    ]
}


def webhook(name: str, path: str, **changes: Any) -> Json:  # noqa: ANN401 (fields of the API's)
    """A webhook as the chart registers it."""
    return {
        "name": name,
        "clientConfig": {
            "caBundle": GOOD.bundle,
            "service": {**CALLED, "path": path},
        },
        "failurePolicy": "Ignore",
        "timeoutSeconds": 5,
        "namespaceSelector": EXCLUDED,
        "matchConditions": [{"name": "annotated", "expression": "object...[?'fastload.dev/inject']"}],
        **changes,
    }


def configuration(*webhooks: Json) -> tuple[WebhookConfiguration, ...]:
    return (msgspec.convert({"metadata": {"name": "fastload"}, "webhooks": webhooks}, WebhookConfiguration),)


def mutating(**changes: Any) -> tuple[WebhookConfiguration, ...]:  # noqa: ANN401 (as above)
    """Both webhooks for pods, the first of them changed."""
    return configuration(
        webhook("pods.fastload.dev", "/mutate", **changes), webhook("namespaces.fastload.dev", "/mutate")
    )


def deployment(*, replicas: int = 2, ready: int = 2, image: str = "registry/fastload:1", **env: str) -> Deployment:
    container = {"name": "fastload", "image": image, "env": [{"name": k, "value": v} for k, v in env.items()]}
    spec = {"replicas": replicas, "template": {"spec": {"serviceAccountName": "fastload", "containers": [container]}}}
    return msgspec.convert(
        {"metadata": {"name": "fastload"}, "spec": spec, "status": {"readyReplicas": ready}}, Deployment
    )


def namespace(name: str, annotations: Json | None = None, /, **labels: str) -> Object:
    """A namespace; the labels' names lie below fastload's prefix."""
    prefixed = {f"fastload.dev/{key}": value for key, value in labels.items()}
    return msgspec.convert({"metadata": {"name": name, "labels": prefixed, "annotations": annotations}}, Object)


def pod(name: str, phase: str = "Running", namespace: str = "serving", **annotations: str) -> Pod:
    """A pod; the annotations' names lie below fastload's prefix."""
    prefixed = {f"fastload.dev/{key}": value for key, value in annotations.items()}
    metadata = {"name": name, "namespace": namespace, "annotations": prefixed}
    return msgspec.convert({"metadata": metadata, "status": {"phase": phase}}, Pod)


def workload(annotations: Json, template: Json | None = None, **metadata: Any) -> Workload:  # noqa: ANN401 (as above)
    spec = {"template": {"metadata": {"annotations": template or {}}, "spec": {"containers": []}}}
    named = {"name": "qwen", "namespace": "serving", "annotations": annotations, **metadata}
    return msgspec.convert({"metadata": named, "spec": spec}, Workload)


def access(facts: Facts) -> tuple[Access, ...]:
    """What the service account of the chart may do."""
    wanted = [Access(right=right, needed=True, allowed=True) for right in needed(facts.place, facts.settings)]
    unwanted = [Access(right=right, needed=False, allowed=False) for right in unneeded()]
    return (*wanted, *unwanted)


def healthy(**changes: Any) -> Facts:  # noqa: ANN401 (fields of Facts)
    """The facts of an installation that is well, but for what is changed."""
    service = {
        "metadata": {"name": "fastload"},
        "spec": {"ports": [{"name": "reviews", "port": 443}], "selector": {"app.kubernetes.io/name": "fastload"}},
    }
    endpoints = {"endpoints": [{"conditions": {"ready": True}}, {"conditions": {}}]}
    facts = Facts(
        now=NOW,
        place=PLACE,
        kubernetes=Version(git_version="v1.33.4-eks-1234567"),
        mutating=mutating(),
        validating=configuration(webhook("workloads.fastload.dev", "/validate")),
        deployment=deployment(),
        service=msgspec.convert(service, Service),
        slices=(msgspec.convert(endpoints, EndpointSlice),),
        own_pods=(),
        certificate=GOOD.certificate,
        next_certificate=None,
        namespaces=(namespace("default"),),
        workloads={},
        pods=(),
        access=(),
        probe=Probe("default", status="injected"),
        asked=None,
    )
    facts = msgspec.structs.replace(facts, **changes)
    return facts if "access" in changes else msgspec.structs.replace(facts, access=access(facts))


def told(findings: list[Finding], check: Check) -> list[tuple[Level, str]]:
    """What a check said that is not merely well."""
    return [(each.level, each.text) for each in findings if each.check is check and each.level is not Level.OK]
