"""A release of the chart from its installation to its end."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.helm import Helm
from tests.e2e.installation import NAMESPACE, RELEASE, bindable
from tests.e2e.namespace import Namespace, RefusedError
from tests.e2e.pods import STATUS, annotation, engine_pod
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook
from webhook.server.certificates import Files, issue

Json = dict[str, Any]


@pytest.fixture
def helm(bare_cluster: ControlPlane, tmp_path: Path) -> Helm:
    return Helm(bare_cluster, tmp_path)


class User:
    """Who makes pods in the cluster, and looks around in it."""

    def __init__(self, cluster: ControlPlane, client: httpx.Client, model: Model) -> None:
        self._cluster = cluster
        self._namespace = Namespace(cluster, client, "default")
        self._pod = engine_pod(model)

    def is_tuned(self) -> bool:
        """Whether a pod that asks is given settings."""
        return annotation(self._namespace.create_pod(self._pod, dry_run=True), STATUS) == "injected"

    def is_refused(self) -> bool:
        """Whether a pod that asks is refused, as nobody answers."""
        try:
            self._namespace.create_pod(self._pod, dry_run=True)
        except RefusedError as error:
            if "failed calling webhook" not in str(error):
                raise
            return True
        return False

    def left(self) -> list[str]:
        """Every object of the release that there still is, as KIND/NAME, but for those that go with their owner."""
        kinds = self._cluster.kubectl("api-resources", "--verbs", "list", "--output", "name").stdout.split()
        selector = ("--selector", "app.kubernetes.io/instance=fastload")
        found = self._cluster.get(",".join(kinds), "--all-namespaces", *selector)["items"]
        return [f"{each['kind']}/{each['metadata']['name']}" for each in found if not _going(each["metadata"])]


def _going(metadata: Json) -> bool:
    return "deletionTimestamp" in metadata or "ownerReferences" in metadata


@pytest.fixture
def user(bare_cluster: ControlPlane, bare_client: httpx.Client, s3: S3) -> User:
    return User(bare_cluster, bare_client, s3.published_model())


@pytest.fixture
def own(bare_cluster: ControlPlane, bare_client: httpx.Client) -> Namespace:
    """Where fastload's own pods are."""
    return Namespace(bare_cluster, bare_client, NAMESPACE)


def secret_of(cluster: ControlPlane, folder: Path) -> Json:
    """Make the Secret with a certificate of the operator's own, and return the values that name it."""
    cluster.create_namespace(NAMESPACE)
    files: Files = issue([f"fastload.{NAMESPACE}.svc"], folder, 30)
    pair = ("--cert", str(files.certificate), "--key", str(files.key))
    cluster.kubectl("create", "secret", "tls", "mine", "--namespace", NAMESPACE, *pair)
    return {"source": "secret", "secretName": "mine", "caBundle": files.authority.read_text()}


@pytest.fixture(params=["default values", "a certificate of one's own"])
def installed(
    request: pytest.FixtureRequest, bare_cluster: ControlPlane, helm: Helm, tmp_path: Path
) -> Iterator[ControlPlane]:
    """The cluster, with the release as it is first installed."""
    own = {"certificates": secret_of(bare_cluster, tmp_path)} if request.param != "default values" else {}
    notes = helm("install", *RELEASE, "--create-namespace", values={**bindable(), **own})
    assert "kubectl rollout status deployment/fastload --namespace fastload" in notes
    yield bare_cluster
    bare_cluster.kubectl("delete", "namespace", NAMESPACE)


@pytest.fixture
def webhook(installed: ControlPlane, own: Namespace, s3: S3, tmp_path: Path) -> Iterator[Webhook]:
    """The process that answers for the release."""
    own.finish_rollout("fastload")
    webhook = Webhook(installed, {"FASTLOAD_S3_ENDPOINT": s3.endpoint}, tmp_path)
    try:
        webhook.wait_until_ready()
        yield webhook
    finally:
        webhook.close()


def test_a_release_from_its_installation_to_its_end(helm: Helm, own: Namespace, user: User, webhook: Webhook) -> None:
    wait_until(user.is_tuned, what="the API server calls the webhook")
    first = own.pods()
    assert len(first) == 2

    helm("upgrade", *RELEASE, "--reset-then-reuse-values", values={"settings": {"features": ["streamer"]}})
    second = own.finish_rollout("fastload")
    assert not names(first) & names(second)
    assert user.is_tuned()

    helm("rollback", "fastload", "1", "--namespace", NAMESPACE)
    assert not names(second) & names(own.finish_rollout("fastload"))
    assert user.is_tuned()

    # As hard as it gets: nobody answers any more, and pods are refused for it, by the operator's own choice.
    webhook.stop()
    helm("upgrade", *RELEASE, "--reset-then-reuse-values", values={"webhooks": {"failurePolicy": "Fail"}})
    wait_until(user.is_refused, what="the API server goes by the new policy")
    helm("uninstall", "fastload", "--namespace", NAMESPACE)
    assert user.left() == []
    wait_until(lambda: not user.is_refused(), what="the API server forgets the webhook")
    assert not user.is_tuned()


def names(pods: list[Json]) -> set[str]:
    return {pod["metadata"]["name"] for pod in pods}
