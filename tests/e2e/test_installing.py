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
def install_again(control_plane: ControlPlane, client: httpx.Client, tmp_path: Path) -> Callable[..., None]:
    return lambda **settings: install(control_plane, client, tmp_path, **settings)


def test_installing_again_replaces_no_pod_where_nothing_changes(
    control_plane: ControlPlane, client: httpx.Client, webhook: Webhook, install_again: Callable[..., None]
) -> None:
    def names() -> set[str]:
        return {pod["metadata"]["name"] for pod in Namespace(control_plane, client, NAMESPACE).pods()}

    before = names()
    install_again()
    assert names() == before
    assert webhook.is_ready()


def test_a_certificate_is_renewed_and_no_pod_goes_untuned_meanwhile(
    webhook: Webhook, namespace: Namespace, model: Model, install_again: Callable[..., None]
) -> None:
    def concurrency(name: str) -> str | None:
        return env(namespace.create_pod(engine_pod(model, name))).get("RUNAI_STREAMER_CONCURRENCY")

    before = webhook.certificate()

    install_again(RENEW="1")
    # The kubelet has yet to write the new certificate, and the API server still takes the old one.
    assert webhook.certificate() == before
    assert concurrency("meanwhile") == "17"
    webhook.mount_certificate()

    wait_until(lambda: webhook.certificate() != before, what="the webhook serves the new certificate")
    assert concurrency("afterwards") == "17"
