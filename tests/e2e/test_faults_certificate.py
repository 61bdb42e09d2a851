"""A certificate that the API server does not take: pods are made as they were, and the handshakes tell."""

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from prometheus_client.parser import text_string_to_metric_families

from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.breaking import bundle, patched
from tests.e2e.installation import NAMESPACE
from tests.e2e.namespace import Namespace
from tests.e2e.pods import STATUS, annotation, engine_pod, env
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook
from webhook.certificates.issuing import Issued, issue

NOW = dt.datetime.now(dt.UTC)
NAME, MONTH = f"fastload.{NAMESPACE}.svc", dt.timedelta(days=30)
GOOD = issue([NAME], NOW, MONTH)
EXPIRED = issue([NAME], NOW - 2 * MONTH, MONTH)
OTHER_NAME = issue(["other.fastload.svc"], NOW, MONTH)
OTHER_AUTHORITY = issue([NAME], NOW, MONTH)
# The last one's authority is the only one that is not trusted.
TRUSTED = b"".join(each.authority.public_bytes(Encoding.PEM) for each in (GOOD, EXPIRED, OTHER_NAME))

Serve = Callable[[Issued], Webhook]


@pytest.fixture
def serve(control_plane: ControlPlane, webhook: Webhook, tmp_path: Path) -> Iterator[Serve]:
    """Serves a certificate in place of the one that fastload keeps, to an API server that trusts these authorities."""
    started: list[Webhook] = []
    files = {"FASTLOAD_TLS_CERTIFICATE": str(tmp_path / "chain.pem"), "FASTLOAD_TLS_KEY": str(tmp_path / "key.pem")}

    def start(issued: Issued) -> Webhook:
        (tmp_path / "chain.pem").write_bytes(issued.leaf.chain)
        (tmp_path / "key.pem").write_bytes(issued.leaf.key)
        started.append(Webhook(control_plane, {"FASTLOAD_CERTIFICATES": "files", **files}, tmp_path))
        started[-1].wait_until_ready()
        return started[-1]

    what = "mutatingwebhookconfiguration/fastload"
    with webhook.stopped(), patched(control_plane, what, bundle(0, TRUSTED), bundle(1, TRUSTED)):
        yield start
        for each in started:
            each.close()


@pytest.mark.parametrize(
    "issued", [EXPIRED, OTHER_NAME, OTHER_AUTHORITY], ids=["expired", "another name", "another authority"]
)
def test_a_certificate_that_is_not_taken_leaves_pods_as_they_were_and_is_counted(
    serve: Serve, client: httpx.Client, namespace: Namespace, s3: S3, issued: Issued
) -> None:
    pod = engine_pod(s3.published_model())
    good = serve(GOOD)
    wait_until(
        lambda: annotation(namespace.create_pod(pod, dry_run=True), STATUS), what="the API server trusts what it should"
    )
    good.stop()
    failed = failed_open(client)

    bad = serve(issued)
    made = namespace.create_pod(pod)

    assert (annotation(made, STATUS), env(made)) == (None, {})
    assert failed_open(client) > failed
    assert bad.handshakes()["begun"] > bad.handshakes()["completed"] == 0


def failed_open(client: httpx.Client) -> float:
    """How many calls of a webhook the API server has given up on."""
    families = text_string_to_metric_families(client.get("/metrics").raise_for_status().text)
    name = "apiserver_admission_webhook_fail_open_count"
    return sum(sample.value for each in families if each.name == name for sample in each.samples)
