from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.installation import NAMESPACE, install
from tests.e2e.namespace import Namespace
from tests.e2e.pods import STATUS, annotation, engine_pod, env
from tests.e2e.webhook_process import Webhook


def test_its_own_pods_pass_the_strictest_pod_security_and_are_not_sent_to_it(
    control_plane: ControlPlane, client: httpx.Client, webhook: Webhook
) -> None:
    pods = Namespace(control_plane, client, NAMESPACE).pods()

    assert webhook.is_ready()
    assert len(pods) == 2
    labels = control_plane.get("namespace", NAMESPACE)["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    assert [annotation(pod, STATUS) for pod in pods] == [None, None]


@pytest.fixture
def install_again(control_plane: ControlPlane, client: httpx.Client, tmp_path: Path) -> Callable[[], None]:
    return lambda: install(control_plane, client, tmp_path)


def test_installing_again_renews_the_certificate_while_the_webhook_runs(
    webhook: Webhook, namespace: Namespace, model: Model, install_again: Callable[[], None]
) -> None:
    before = webhook.certificate()

    install_again()
    # Until the kubelet has written the new certificate, pods are made untuned.
    namespace.create_pod(engine_pod(model, "meanwhile"))
    webhook.mount_certificate()

    wait_until(lambda: webhook.certificate() != before, what="the webhook serves the new certificate")
    wait_until(
        lambda: annotation(namespace.create_pod(engine_pod(model), dry_run=True), STATUS),
        what="the API server trusts the new certificate",
    )
    assert env(namespace.create_pod(engine_pod(model, "afterwards")))["RUNAI_STREAMER_CONCURRENCY"] == "17"
