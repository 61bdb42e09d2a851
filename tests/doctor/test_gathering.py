"""What is asked of a cluster, and what is made of its answers."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from click.testing import CliRunner

from tests.doctor import patient
from webhook.cli import main
from webhook.doctor.examine import examine
from webhook.doctor.facts import Asked, Facts, Place
from webhook.doctor.finding import Check, Level, Unread
from webhook.doctor.gather import gather
from webhook.lookup.watching import KubeError

Json = dict[str, Any]

DEMO_POD = Path(__file__).parents[2] / "demo/pods/qwen3.6-35b-a3b.yaml"
REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
ACCESS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
OWN = "/apis/apps/v1/namespaces/tuning/deployments"
PREVIEW = "/api/v1/namespaces/tuning/services/mine:admin/proxy/preview"


class FakeApi:
    """A cluster of a few objects by path; what is not there does not exist, and every list is empty."""

    def __init__(self, objects: Json) -> None:
        self._objects = objects
        self.sent: list[tuple[str, Json]] = []
        self.asked: list[str] = []

    async def get(self, path: str, query: Mapping[str, str]) -> bytes:
        self.asked.append(path)
        if path not in self._objects and "limit" not in query:
            raise KubeError(f"{path}: 404 Not Found", 404)
        return json.dumps(self._objects.get(path, {"items": []})).encode()

    async def post(self, path: str, _query: Mapping[str, str], content: object) -> bytes:
        assert isinstance(content, dict)
        self.sent.append((path, content))
        if path not in self._objects:
            raise KubeError("refused by the test", 500)
        return json.dumps(self._objects[path]).encode()


def registered(namespace: str = "tuning") -> Json:
    service = {"name": "mine", "namespace": namespace, "path": "/mutate"}
    webhook = patient.webhook("pods.fastload.dev", "/mutate", clientConfig={"service": service})
    return {"items": [{"metadata": {"name": "mine"}, "webhooks": [webhook]}]}


def gathered(api: FakeApi, namespace: str | None = None) -> Facts:
    return asyncio.run(gather(api, namespace))


def test_the_installation_is_where_the_webhooks_lead_to() -> None:
    api = FakeApi({f"{REGISTRATION}/mutatingwebhookconfigurations": registered()})
    assert gathered(api).place == Place("tuning", "mine")
    assert gathered(api, "other").place.namespace == "other"
    assert gathered(FakeApi({})).place.namespace == "fastload"


def test_the_secret_is_the_one_that_is_mounted_or_that_fastload_keeps() -> None:
    mounted = {"name": "tls", "secret": {"secretName": "bought"}}
    kept = [{"name": "FASTLOAD_CERTIFICATES", "value": "self-managed"}]
    for env, name in (([], "bought"), (kept, "fastload-tls")):
        spec = {"volumes": [mounted], "containers": [{"name": "fastload", "env": env}]}
        deployment = {"metadata": {"name": "mine"}, "spec": {"template": {"spec": spec}}}
        api = FakeApi({f"{REGISTRATION}/mutatingwebhookconfigurations": registered(), OWN: {"items": [deployment]}})
        gathered(api)
        assert f"/api/v1/namespaces/tuning/secrets/{name}" in api.asked


def test_of_the_secret_both_certificates_are_read() -> None:
    path = "/api/v1/namespaces/tuning/secrets/mine-tls"
    for data, read in (
        ({"tls.crt": "YQ==", "next.crt": "Yg=="}, (b"a", b"b")),
        ({"tls.crt": "", "next.crt": "Yg=="}, (None, b"b")),
        ({"tls.crt": "YQ=="}, (b"a", None)),
        ({"tls.crt": "%"}, (b"", None)),
        (None, (None, None)),
    ):
        api = FakeApi({f"{REGISTRATION}/mutatingwebhookconfigurations": registered(), path: {"data": data}})
        facts = gathered(api)
        assert (facts.certificate, facts.next_certificate) == read


def test_a_pod_that_asks_is_sent_to_a_namespace_that_the_webhook_is_called_for() -> None:
    configurations = registered()
    configurations["items"][0]["webhooks"][0]["namespaceSelector"] = {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["default"]}]
    }
    names = [{"metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}}} for name in ("default", "b")]
    api = FakeApi(
        {
            f"{REGISTRATION}/mutatingwebhookconfigurations": configurations,
            "/api/v1/namespaces": {"items": names},
            "/api/v1/namespaces/b/pods": {"metadata": {"annotations": {"fastload.dev/status": "injected"}}},
        }
    )
    probe = gathered(api).probe
    assert not isinstance(probe, Unread)
    assert (probe.namespace, probe.status) == ("b", "injected")


def test_the_running_fastload_is_asked_for_the_models_of_pods_that_it_met() -> None:
    flags = ("--offline", "--shards", "17", "--model-size", "67Gi", "-o", "json")
    answer = json.loads(CliRunner().invoke(main, ["preview", "-f", str(DEMO_POD), *flags]).stdout)
    manifest = yaml.safe_load(DEMO_POD.read_text())
    plan = {"fastload.dev/plan": "{}", "fastload.dev/status": "injected"}
    metadata = {"name": "qwen", "namespace": "serving", "annotations": plan, "managedFields": [{"manager": "kubectl"}]}
    pod = {**manifest, "metadata": metadata, "status": {"phase": "Running"}}
    api = FakeApi(
        {
            f"{REGISTRATION}/mutatingwebhookconfigurations": registered(),
            "/api/v1/pods": {"items": [pod, {**pod, "metadata": {**metadata, "name": "another-of-its-kind"}}]},
            "/api/v1/namespaces/serving/pods/qwen": pod,
            "/api/v1/namespaces/serving/pods/another-of-its-kind": pod,
            PREVIEW: answer,
        }
    )

    facts = gathered(api)

    (sent,) = (content["items"] for path, content in api.sent if path == PREVIEW)
    assert [each["spec"] for each in sent] == [manifest["spec"]]
    assert all(each.keys() == {"apiVersion", "kind", "metadata", "spec"} for each in sent)
    assert all("managedFields" not in each["metadata"] for each in sent)
    assert isinstance(facts.asked, Asked)
    told = [each for each in examine(facts) if each.check is Check.S3]
    assert [(each.level, each.text.partition(" is listed")[2]) for each in told] == [(Level.OK, ": 17 shard files")]


def test_what_is_refused_for_want_of_rights_is_told_from_what_a_policy_refuses() -> None:
    class Refusing(FakeApi):
        async def post(self, path: str, query: Mapping[str, str], content: object) -> bytes:
            if path.endswith("/pods"):
                raise KubeError(self.message, 403)
            return await super().post(path, query, content)

        message = 'pods is forbidden: User "a" cannot create resource "pods" in API group "" in the namespace "default"'

    api = Refusing({})
    assert isinstance(gathered(api).probe, Unread)
    api.message = 'pods "x" is forbidden: violates PodSecurity "restricted:latest": hostPath volumes'
    probe = gathered(api).probe
    assert not isinstance(probe, Unread)
    assert probe.refusal == api.message


def test_an_account_may_what_the_api_server_says() -> None:
    deployment = {"metadata": {"name": "mine"}, "spec": {"template": {"spec": {"serviceAccountName": "account"}}}}
    api = FakeApi(
        {
            f"{REGISTRATION}/mutatingwebhookconfigurations": registered(),
            OWN: {"items": [deployment]},
            ACCESS: {"status": {"allowed": True}},
        }
    )
    access = gathered(api).access
    assert not isinstance(access, Unread)
    assert {each.allowed for each in access} == {True}
    users = {content["spec"]["user"] for path, content in api.sent if path == ACCESS}
    assert users == {"system:serviceaccount:tuning:account"}
