"""`kubectl fastload doctor` on the real API server: a healthy installation, and one broken in one way at a time."""

import base64
import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.breaking import bundle, deleted, patched
from tests.e2e.doctor_command import SLICE, Doctor
from tests.e2e.installation import NAMESPACE, install
from tests.e2e.namespace import Namespace
from tests.e2e.pods import INJECT, STATUS, annotation, deployment, engine_pod, engine_template, plain_pod
from tests.e2e.preview_command import PreviewCommand
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook
from webhook.certificates import issuing
from webhook.reasons import Code, sentence
from webhook.server.certificates import issue

NAME = f"fastload.{NAMESPACE}.svc"
MUTATING, VALIDATING = "mutatingwebhookconfiguration/fastload", "validatingwebhookconfiguration/fastload"


@pytest.fixture(scope="module")
def webhook(
    bare_cluster: ControlPlane, bare_client: httpx.Client, s3: S3, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Webhook]:
    """fastload with a certificate that nobody repairs, in a cluster where it may be broken."""
    folder = tmp_path_factory.mktemp("webhook")
    files = issue([NAME], folder, 90)
    bare_cluster.create_namespace(NAMESPACE)
    pair = ("--cert", str(files.certificate), "--key", str(files.key))
    bare_cluster.kubectl("create", "secret", "tls", "fastload-tls", "--namespace", NAMESPACE, *pair)
    certificates = {"source": "secret", "caBundle": files.authority.read_text()}
    image = {"repository": "registry.invalid/fastload"}
    install(bare_cluster, bare_client, folder, certificates=certificates, image=image)
    webhook = Webhook(bare_cluster, {"FASTLOAD_S3_ENDPOINT": s3.endpoint}, folder)
    try:
        webhook.wait_until_ready()
        default, pod = Namespace(bare_cluster, bare_client, "default"), engine_pod(s3.published_model())
        wait_until(lambda: annotation(default.create_pod(pod, dry_run=True), STATUS), what="the webhook is called")
        yield webhook
    finally:
        webhook.close()


@pytest.fixture
def namespace(bare_cluster: ControlPlane, bare_client: httpx.Client) -> Namespace:
    return Namespace.create(bare_cluster, bare_client)


@pytest.fixture
def command(bare_cluster: ControlPlane, s3: S3, tmp_path: Path) -> PreviewCommand:
    return PreviewCommand(bare_cluster, s3, tmp_path)


@pytest.fixture
def doctor(command: PreviewCommand, webhook: Webhook, endpoints: None) -> Doctor:  # noqa: ARG001 (what it looks at)
    assert webhook.is_ready()
    return Doctor(command)


@pytest.fixture(scope="module")
def endpoints(bare_cluster: ControlPlane, webhook: Webhook) -> None:
    """What the control plane would note of fastload's pods, were they on a node."""
    assert webhook.is_ready()
    bare_cluster.apply(SLICE)


def test_a_healthy_installation_is_well(doctor: Doctor, namespace: Namespace, model: Model) -> None:
    namespace.create_pod(engine_pod(model))

    status, findings = doctor()

    assert status == 0, findings
    well = {each["check"] for each in findings if each["level"] == "ok"}
    assert {"kubernetes", "webhooks", "certificate", "deployment", "service", "review", "rights", "pods"} <= well


def test_at_a_terminal_it_says_so_in_words(command: PreviewCommand, doctor: Doctor) -> None:
    assert doctor()[0] == 0

    done = command.run("fastload", "doctor")

    assert done.stdout.startswith(f"fastload in namespace {NAMESPACE}, context tests\n")
    assert "problem" not in done.stdout


def test_a_ca_bundle_of_another_authority(doctor: Doctor, bare_cluster: ControlPlane, tmp_path: Path) -> None:
    another = issue([NAME], tmp_path).authority.read_bytes()
    with patched(bare_cluster, MUTATING, bundle(0, another)):
        (problem,) = (each for each in doctor.problems() if each["check"] == "certificate")

    assert "the caBundle of pods.fastload.dev does not have the authority" in problem["text"]


@pytest.mark.parametrize("what", [MUTATING, VALIDATING])
def test_a_webhook_configuration_that_is_missing(doctor: Doctor, bare_cluster: ControlPlane, what: str) -> None:
    with deleted(bare_cluster, what):
        status, findings = doctor()

    told = [(each["level"], each["text"]) for each in findings if each["check"] == "webhooks"]
    if what == MUTATING:
        assert ("problem", "no mutating webhook of fastload's is registered: pods are made untuned") in told
        assert status == 1
    else:
        assert ("skipped", "no webhook for workloads is registered, so nobody is warned who applies one") in told
        assert status == 0


def test_a_certificate_that_ended(doctor: Doctor, bare_cluster: ControlPlane) -> None:
    old = issuing.issue([NAME], dt.datetime.now(dt.UTC) - dt.timedelta(days=9), dt.timedelta(days=2))
    authority = old.authority.public_bytes(Encoding.PEM)
    value = base64.b64encode(old.leaf.chain).decode()
    change = {"op": "replace", "path": "/data/tls.crt", "value": value}
    with (
        patched(bare_cluster, MUTATING, bundle(0, authority), bundle(1, authority)),
        patched(bare_cluster, VALIDATING, bundle(0, authority), bundle(1, authority)),
        patched(bare_cluster, "secret/fastload-tls", change),
    ):
        problems = [each for each in doctor.problems() if each["check"] == "certificate"]

    assert [each["text"].partition(" on ")[0] for each in problems] == ["the certificate ended"]


def test_a_service_that_leads_nowhere(doctor: Doctor, bare_cluster: ControlPlane) -> None:
    with deleted(bare_cluster, f"endpointslice/{SLICE['metadata']['name']}"):
        (problem,) = doctor.problems()

    assert problem["check"] == "service"
    assert "app.kubernetes.io/name=fastload" in problem["fix"]


def test_roles_that_are_missing(doctor: Doctor, bare_cluster: ControlPlane) -> None:
    with deleted(bare_cluster, "clusterrolebinding/fastload"):
        problems = [each["text"] for each in doctor.problems() if each["check"] == "rights"]

    assert "the service account may not list nodes, watch nodes: instance types are taken from NodePools" in problems[1]


def test_a_service_account_that_may_do_everything(doctor: Doctor, bare_cluster: ControlPlane) -> None:
    account = f"--serviceaccount={NAMESPACE}:fastload"
    bare_cluster.kubectl("create", "clusterrolebinding", "everything", "--clusterrole=cluster-admin", account)
    try:
        status, findings = doctor()
    finally:
        bare_cluster.kubectl("delete", "clusterrolebinding", "everything")

    assert status == 0
    (warning,) = (each["text"] for each in findings if each["level"] == "warning")
    assert "the service account may list secrets" in warning


def test_a_webhook_that_is_down_is_found_by_a_pod_that_comes_back_untouched(
    doctor: Doctor, webhook: Webhook, bare_client: httpx.Client
) -> None:
    with webhook.stopped():
        (problem,) = doctor.problems()

    assert problem["check"] == "review"
    assert "came back untouched" in problem["text"]
    # What the alerts go by that tell of it.
    counted = bare_client.get("/metrics").raise_for_status().text
    assert re.search(r'^apiserver_admission_webhook_fail_open_count\{name="pods\.fastload\.dev"', counted, re.MULTILINE)


def test_a_webhook_that_is_down_and_fails_closed(
    doctor: Doctor, bare_cluster: ControlPlane, webhook: Webhook, bare_client: httpx.Client
) -> None:
    strict = {"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Fail"}
    with patched(bare_cluster, MUTATING, strict), webhook.stopped():
        wait_until(lambda: "was refused" in doctor.problems()[0]["text"], what="the API server goes by the new policy")
        (problem,) = doctor.problems()

    assert 'failed calling webhook "pods.fastload.dev"' in problem["text"]
    counted = bare_client.get("/metrics").raise_for_status().text
    assert re.search(
        r'^apiserver_admission_webhook_rejection_count\{.*name="pods\.fastload\.dev"', counted, re.MULTILINE
    )


def test_a_namespace_whose_label_is_misspelt(doctor: Doctor, bare_cluster: ControlPlane, namespace: Namespace) -> None:
    bare_cluster.kubectl("label", "namespace", namespace.name, f"{INJECT}=true")

    (problem,) = doctor.problems()

    assert f"{namespace.name} has the label {INJECT}=true, which opts nothing in" in problem["text"]
    fix = problem["fix"].split()
    assert fix[0] == "kubectl"
    bare_cluster.kubectl(*fix[1:])
    assert doctor()[0] == 0
    bare_cluster.kubectl("label", "namespace", namespace.name, f"{INJECT}-")


@pytest.mark.parametrize("kind", ["Deployment", "CronJob"])
def test_a_workload_that_is_annotated_in_its_own_metadata(
    doctor: Doctor, bare_cluster: ControlPlane, namespace: Namespace, model: Model, kind: str
) -> None:
    template = engine_template(model)
    workload = deployment(template, replicas=0)
    if kind == "CronJob":
        once = {**template, "spec": {**template["spec"], "restartPolicy": "Never"}}
        spec = {"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": {"template": once}}}
        workload = {"apiVersion": "batch/v1", "kind": kind, "metadata": {"name": "qwen"}, "spec": spec}
    workload["metadata"]["annotations"] = {INJECT: "true"}
    namespace.apply(workload)

    (problem,) = doctor.problems()
    bare_cluster.kubectl("delete", kind.lower(), "qwen", "--namespace", namespace.name)

    place = "spec.template" if kind == "Deployment" else "spec.jobTemplate.spec.template"
    assert problem["text"] == (
        f"{kind} {namespace.name}/qwen: {INJECT} on the {kind} itself steers nothing: "
        f"fastload reads {place}.metadata.annotations"
    )


def test_pods_that_were_left_alone_are_told_by_reason(doctor: Doctor, namespace: Namespace, model: Model) -> None:
    idle = plain_pod("web")
    idle["metadata"]["annotations"] = {INJECT: "true"}
    namespace.create_pod(idle)
    namespace.create_pod(engine_pod(Model("nowhere", model.prefix, 1, 1), "lost"))

    status, findings = doctor()

    assert status == 0
    lost = f"{namespace.name}/lost"
    told = [each["text"] for each in findings if each["check"] == "pods" and each["level"] == "warning"]
    assert any("skipped, no-engine: no container starts vLLM or SGLang" in each for each in told)
    assert any(f"partial, no-such-bucket: {sentence(Code.NO_SUCH_BUCKET)} ({lost})" in each for each in told)
