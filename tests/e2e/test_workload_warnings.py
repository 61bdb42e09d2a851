"""What kubectl prints to who applies a workload, that it comes true, and when nothing is asked or said."""

import json
from collections.abc import Iterator
from copy import deepcopy

import httpx
import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.leader_worker_set import install_leader_worker_set, leader_worker_set
from tests.e2e.namespace import Namespace
from tests.e2e.pods import INJECT, STATUS, Json, annotation, cache_mounts, deployment, engine_template, env, plain_pod
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook
from webhook.reasons import Code, sentence

SAID = "Warning: fastload: "
GETS = (
    "container vllm will get RUNAI_STREAMER_CONCURRENCY=17, RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS=3000, "
    "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT=1048576, RUNAI_STREAMER_S3_TIMEOUT=60 and a compile cache (hostPath)"
)


class Kubectl:
    """kubectl in one namespace, as far as what it prints of fastload's."""

    def __init__(self, control_plane: ControlPlane, namespace: Namespace) -> None:
        self._control_plane = control_plane
        self._namespace = namespace.name

    def __call__(self, *arguments: str, stdin: str | None = None) -> list[str]:
        done = self._control_plane.kubectl(*arguments, "--namespace", self._namespace, stdin=stdin)
        return [line.removeprefix(SAID) for line in done.stderr.splitlines() if line.startswith(SAID)]

    def apply(self, manifest: Json, *flags: str) -> list[str]:
        return self("apply", "-f", "-", *flags, stdin=json.dumps(manifest))


@pytest.fixture(scope="module", autouse=True)
def called(control_plane: ControlPlane, client: httpx.Client, webhook: Webhook, s3: S3) -> Iterator[None]:
    """The API server takes a moment to notice a new webhook, and to serve a new kind."""
    assert webhook.is_ready()
    install_leader_worker_set(control_plane)
    default = Kubectl(control_plane, Namespace(control_plane, client, "default"))
    asks = deployment(engine_template(s3.published_model(), **{INJECT: "true"}))
    wait_until(lambda: default.apply(asks, "--dry-run=server"), what="the API server calls the workloads' webhook")
    yield
    # A condition that cannot be evaluated keeps a workload from us as well.
    evaluated = client.get("/metrics").raise_for_status().text
    assert "apiserver_admission_match_condition_evaluation_seconds" in evaluated
    assert "apiserver_admission_match_condition_evaluation_errors_total{" not in evaluated


@pytest.fixture
def kubectl(control_plane: ControlPlane, namespace: Namespace) -> Kubectl:
    return Kubectl(control_plane, namespace)


@pytest.fixture
def asks(model: Model) -> Json:
    """A pod template that asks for fastload."""
    return engine_template(model, **{INJECT: "true"})


def workload(kind: str, template: Json) -> Json:
    """A workload of a kind around a template."""
    selector = {"matchLabels": template["metadata"]["labels"]}
    once = {**template, "spec": {**template["spec"], "restartPolicy": "Never"}}
    groups = {"StatefulSet": "apps/v1", "Job": "batch/v1", "CronJob": "batch/v1"}
    specs: dict[str, Json] = {
        "StatefulSet": {"replicas": 0, "serviceName": "qwen", "selector": selector, "template": template},
        "Job": {"suspend": True, "template": once},
        "CronJob": {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": {"template": once}}},
    }
    if kind == "LeaderWorkerSet":
        return leader_worker_set(template, template)
    if kind == "Deployment":
        return deployment(template, replicas=0)
    return {"apiVersion": groups[kind], "kind": kind, "metadata": {"name": "qwen"}, "spec": specs[kind]}


def test_what_a_deployment_is_told_comes_true_for_its_pods_and_is_looked_up_once(
    kubectl: Kubectl, s3: S3, namespace: Namespace, model: Model, asks: Json
) -> None:
    said = kubectl.apply(deployment(asks))

    assert said == [GETS]
    pod = wait_until(namespace.pods, what="the Deployment's pod is made")[0]
    assert annotation(pod, STATUS) == "injected"
    told = [item for item in GETS.replace(" and ", ", ").split(", ") if "RUNAI_" in item]
    got = [f"{name}={value}" for name, value in env(pod).items() if name.startswith("RUNAI_")]
    assert [item.rpartition(" ")[2] for item in told] == got
    assert len(cache_mounts(pod)) == 1
    assert s3.listings(model) == 1


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "Job", "CronJob", "LeaderWorkerSet"])
def test_every_kind_is_told_when_it_is_made_and_when_its_pods_change(
    kubectl: Kubectl, webhook: Webhook, asks: Json, kind: str
) -> None:
    before = webhook.workload_reviews()

    first = kubectl.apply(workload(kind, asks))
    again = kubectl.apply(workload(kind, asks))
    changed = deepcopy(asks)
    changed["metadata"]["annotations"]["fastload.dev/streamer-version"] = "0.17.0"
    second = kubectl.apply(workload(kind, changed))

    assert any("RUNAI_STREAMER_CONCURRENCY=17" in line for line in first)
    assert again == []
    assert any("RUNAI_STREAMER_CONCURRENCY=17" in line for line in second)
    assert webhook.workload_reviews() - before == {"injected": 2}


def test_a_change_that_makes_no_other_pods_is_not_sent(kubectl: Kubectl, webhook: Webhook, asks: Json) -> None:
    kubectl.apply(deployment(asks, replicas=0))
    before = webhook.workload_reviews()

    kubectl("scale", "deployment", "qwen", "--replicas=2")
    kubectl("patch", "deployment", "qwen", "--patch", '{"spec": {"replicas": 1}}')
    kubectl("label", "deployment", "qwen", "team=a")
    kubectl("delete", "deployment", "qwen")

    assert webhook.workload_reviews() == before


def test_a_patch_that_opts_in_is_told_of(kubectl: Kubectl, model: Model) -> None:
    assert kubectl.apply(deployment(engine_template(model), replicas=0)) == []

    opts_in = {"spec": {"template": {"metadata": {"annotations": {INJECT: "true"}}}}}
    assert kubectl("patch", "deployment", "qwen", "--patch", json.dumps(opts_in)) == [GETS]
    assert kubectl("rollout", "restart", "deployment", "qwen") == [GETS]


def test_an_annotation_on_the_deployment_itself_is_told_of(kubectl: Kubectl, model: Model) -> None:
    kubectl.apply(deployment(engine_template(model), replicas=0))

    assert kubectl("annotate", "deployment", "qwen", f"{INJECT}=true") == [
        f"{INJECT} on the Deployment itself steers nothing: fastload reads spec.template.metadata.annotations"
    ]


def test_what_nobody_asked_for_never_reaches_the_webhook(
    kubectl: Kubectl, webhook: Webhook, model: Model, asks: Json
) -> None:
    before = webhook.workload_reviews()
    controlled = deployment(asks, name="controlled", replicas=0)
    owner = {"apiVersion": "example.com/v1", "kind": "Service", "name": "o", "uid": "1", "controller": True}
    controlled["metadata"]["ownerReferences"] = [owner]

    assert kubectl.apply(deployment(engine_template(model), name="silent", replicas=0)) == []
    assert kubectl.apply(deployment(engine_template(model, **{INJECT: "false"}), name="declines", replicas=0)) == []
    assert kubectl.apply(controlled) == []

    assert webhook.workload_reviews() == before


def test_the_systems_own_workloads_never_reach_the_webhook(
    control_plane: ControlPlane, client: httpx.Client, webhook: Webhook, asks: Json
) -> None:
    before = webhook.workload_reviews()

    for name in ("kube-system", "kube-node-lease", "fastload"):
        kubectl = Kubectl(control_plane, Namespace(control_plane, client, name))
        assert kubectl.apply(deployment(asks, replicas=0), "--dry-run=server") == []

    assert webhook.workload_reviews() == before


def test_a_namespace_that_opted_in_is_told_of_its_engines_and_of_nothing_else(
    control_plane: ControlPlane, client: httpx.Client, webhook: Webhook, model: Model, asks: Json
) -> None:
    kubectl = Kubectl(control_plane, Namespace.create(control_plane, client, {INJECT: "enabled"}))
    web = {"metadata": {"labels": {"app": "web"}}, "spec": plain_pod()["spec"]}
    before = webhook.workload_reviews()

    assert kubectl.apply(deployment(engine_template(model), name="silent", replicas=0)) == [GETS]
    assert kubectl.apply(deployment(asks, name="asks", replicas=0)) == [GETS]
    assert kubectl.apply(deployment(web, name="web", replicas=0)) == []
    assert kubectl.apply(deployment(engine_template(model, **{INJECT: "false"}), name="declines", replicas=0)) == []
    one_declines = leader_worker_set(engine_template(model, **{INJECT: "false"}), engine_template(model))
    assert any("workerTemplate: container vllm" in line for line in kubectl.apply(one_declines))

    # Each was sent once, the one that declines not at all.
    assert webhook.workload_reviews() - before == {"injected": 3, "ignored": 1}


def test_a_dry_run_says_the_same(kubectl: Kubectl, asks: Json) -> None:
    assert kubectl.apply(deployment(asks, replicas=0), "--dry-run=server") == [GETS]


def test_mistakes_and_reasons_are_told_line_by_line(kubectl: Kubectl, asks: Json) -> None:
    asks["metadata"]["annotations"]["fastload.dev/modle"] = "s3://models/qwen"
    asks["spec"]["containers"][0] |= {"image": "nginx:1.29", "args": []}

    assert kubectl.apply(deployment(asks, replicas=0)) == [
        "annotation fastload.dev/modle is not valid: fastload has no such annotation",
        f"pods are left as they are (no-engine): {sentence(Code.NO_ENGINE)}",
    ]


def test_a_deployment_is_taken_while_the_webhook_is_down(
    kubectl: Kubectl, control_plane: ControlPlane, namespace: Namespace, webhook: Webhook, asks: Json
) -> None:
    with webhook.stopped():
        assert kubectl.apply(deployment(asks, replicas=0)) == []

    assert control_plane.get("deployment", "qwen", "--namespace", namespace.name)["spec"]["template"]
