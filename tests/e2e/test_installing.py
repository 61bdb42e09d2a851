from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.e2e.installation import NAMESPACE, install
from tests.e2e.namespace import Namespace
from tests.e2e.pods import STATUS, annotation, engine_pod
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


def test_installing_again_replaces_no_pod_and_no_certificate_where_nothing_changes(
    control_plane: ControlPlane, client: httpx.Client, webhook: Webhook, install_again: Callable[[], None]
) -> None:
    def names() -> set[str]:
        return {pod["metadata"]["name"] for pod in Namespace(control_plane, client, NAMESPACE).pods()}

    before, certificate = names(), webhook.certificate()
    install_again()
    assert names() == before
    assert webhook.certificate() == certificate
    assert webhook.is_ready()


def test_installing_again_leaves_whom_the_api_server_trusts_as_it_is(
    control_plane: ControlPlane,
    webhook: Webhook,
    namespace: Namespace,
    model: Model,
    install_again: Callable[[], None],
) -> None:
    trusted = bundles(control_plane)
    assert webhook.is_ready()
    install_again()
    assert bundles(control_plane) == trusted
    assert annotation(namespace.create_pod(engine_pod(model)), STATUS) == "injected"


def bundles(control_plane: ControlPlane) -> list[Any]:
    """The authorities in every webhook of fastload's."""
    kinds = ("mutatingwebhookconfiguration", "validatingwebhookconfiguration")
    configurations = [control_plane.get(kind, "fastload") for kind in kinds]
    return [webhook["clientConfig"]["caBundle"] for each in configurations for webhook in each["webhooks"]]
