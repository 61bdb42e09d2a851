from collections.abc import Iterator

import httpx
import pytest

from demo.s3 import Model
from tests.cluster.binaries import ensure_binaries
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import control_plane
from tests.cluster.waiting import wait_until
from tests.e2e.installation import install
from tests.e2e.namespace import Namespace
from tests.e2e.pods import STATUS, annotation, engine_pod
from tests.e2e.s3 import S3, running_s3
from tests.e2e.webhook_process import Webhook

__all__ = ["control_plane"]


@pytest.fixture(scope="session")
def client(control_plane: ControlPlane) -> Iterator[httpx.Client]:
    """The API server, as the administrator, for what would take a kubectl too many."""
    with control_plane.client() as client:
        yield client


@pytest.fixture(scope="module")
def bare_cluster() -> Iterator[ControlPlane]:
    """A control plane of the module's own, where nothing is installed."""
    with ControlPlane(ensure_binaries()) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def bare_client(bare_cluster: ControlPlane) -> Iterator[httpx.Client]:
    """The bare cluster's API server, as the administrator."""
    with bare_cluster.client() as client:
        yield client


@pytest.fixture(scope="session")
def s3() -> Iterator[S3]:
    with running_s3() as s3:
        yield s3


@pytest.fixture(scope="session")
def webhook(
    control_plane: ControlPlane, client: httpx.Client, s3: S3, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Webhook]:
    """fastload, installed and called by the API server."""
    folder = tmp_path_factory.mktemp("webhook")
    install(control_plane, client, folder)
    # Less patient than shipped: tests wait for its readiness without an API server, and for a new certificate.
    impatient = {"FASTLOAD_READY_SECONDS": "3", "FASTLOAD_TLS_RELOAD_SECONDS": "0.2"}
    settings = {"FASTLOAD_S3_ENDPOINT": s3.endpoint, **impatient}
    webhook = Webhook(control_plane, settings, folder)
    try:
        webhook.wait_until_ready()
        webhook.mount_certificate()  # the kubelet gives it what it has made meanwhile
        default, pod = Namespace(control_plane, client, "default"), engine_pod(s3.published_model())
        # The API server takes a moment to notice a new webhook.
        wait_until(
            lambda: annotation(default.create_pod(pod, dry_run=True), STATUS), what="the API server calls the webhook"
        )
        yield webhook
    finally:
        webhook.close()
    assert webhook.errors() == []


@pytest.fixture
def namespace(control_plane: ControlPlane, client: httpx.Client) -> Namespace:
    return Namespace.create(control_plane, client)


@pytest.fixture
def model(s3: S3) -> Model:
    """The published model, which nobody has looked up yet."""
    return s3.published_model()
