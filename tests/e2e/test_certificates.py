"""A certificate that fastload keeps by itself, on the real API server, while pods are made all the time.

Certificates live for half a minute here instead of for months; everything else is as it is shipped: the chart's roles,
two replicas, and one of them renewing.
"""

import json
import random
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.deploy.rendering import CHART
from tests.e2e.balancer import Balancer
from tests.e2e.helm import Helm
from tests.e2e.installation import NAMESPACE
from tests.e2e.namespace import Namespace
from tests.e2e.pods import STATUS, annotation, engine_pod
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook
from webhook.cli import main
from webhook.server.certificates import Files, issue

Json = dict[str, Any]

_RELEASE = ("fastload", str(CHART), "--namespace", NAMESPACE)
_LIFE_S = 30
# A tenth of what is set by default is still long for a control plane on one machine.
_HASTY = {"certificatePollSeconds": 0.5, "certificateSettleSeconds": 2}
_SELF_MANAGED: Json = {"certificates": {"source": "self-managed"}, "settings": _HASTY}
_SHORT_LIVED: Json = {**_SELF_MANAGED, "settings": {**_HASTY, "certificateHours": _LIFE_S / 3600}}


class Cluster:
    """fastload installed by its chart, its replicas behind the Service, and whoever makes pods."""

    def __init__(self, control_plane: ControlPlane, client: httpx.Client, s3: S3, folder: Path) -> None:
        self.control_plane = control_plane
        self.helm = Helm(control_plane, folder)
        self._client = client
        self._s3 = s3
        self._folder = folder
        self._model: Model = s3.published_model()
        self._resources = ExitStack()
        self.replicas: list[Webhook] = []

    def install(self, values: Json, *arguments: str) -> None:
        """Installs or upgrades the release."""
        self.helm("upgrade", "--install", *_RELEASE, *arguments, values=values)

    def run(self, count: int) -> list[Webhook]:
        """Runs so many replicas more, as the Deployment describes them now; the Service knows of none of them yet."""
        more = []
        for _ in range(count):
            folder = self._folder / f"replica-{len(self.replicas)}"
            folder.mkdir()
            # Long enough for the connections that there are to be ended by their next answer.
            settings = {"FASTLOAD_S3_ENDPOINT": self._s3.endpoint, "FASTLOAD_DRAIN_SECONDS": "2"}
            host = f"127.98.{random.randint(0, 255)}.{random.randint(1, 254)}"
            webhook = Webhook(self.control_plane, settings, folder, host)
            self._resources.callback(webhook.close)
            self.replicas.append(webhook)
            more.append(webhook)
        return more

    def serve(self, replicas: list[Webhook]) -> None:
        """Waits until these are ready, and has the Service lead to them alone."""
        for replica in replicas:
            replica.wait_until_ready()
        self.balancer.backends = tuple(replica.address for replica in replicas)

    def listen(self) -> None:
        """Begins to listen where the Service is."""
        service = self.control_plane.get("service", "fastload", "--namespace", NAMESPACE)["spec"]
        self.balancer = self._resources.enter_context(Balancer((service["clusterIP"], service["ports"][0]["port"])))

    def close(self) -> None:
        self._resources.close()

    def bundles(self) -> set[str]:
        """The `caBundle`s of all webhooks, as they are in the configurations."""
        found = self.control_plane.get("mutatingwebhookconfiguration,validatingwebhookconfiguration", "-l", _OURS)
        clients = [webhook["clientConfig"] for each in found["items"] for webhook in each["webhooks"]]
        assert len(clients) == 4
        return {client.get("caBundle", "") for client in clients}

    def is_tuned(self) -> bool:
        """Whether a pod that asks is given settings."""
        namespace = Namespace(self.control_plane, self._client, "default")
        return annotation(namespace.create_pod(engine_pod(self._model), dry_run=True), STATUS) == "injected"

    def failed_open(self) -> float:
        """How many calls of a webhook the API server has given up on, as it counts them itself."""
        text = self._client.get("/metrics").raise_for_status().text
        families = text_string_to_metric_families(text)
        name = "apiserver_admission_webhook_fail_open_count"
        return sum(sample.value for each in families if each.name == name for sample in each.samples)

    @contextmanager
    def pods_being_made(self) -> Iterator["Counter[str | None]"]:
        """Makes pods all the while, and gives how many there were by their status."""
        statuses: Counter[str | None] = Counter()
        ended = threading.Event()
        namespace = Namespace.create(self.control_plane, self._client)

        def make(maker: int) -> None:
            while not ended.is_set():
                pod = namespace.create_pod(engine_pod(self._model, f"maker-{maker}"), dry_run=True)
                statuses[annotation(pod, STATUS)] += 1

        makers = [threading.Thread(target=make, args=(number,)) for number in range(3)]
        for maker in makers:
            maker.start()
        try:
            yield statuses
        finally:
            ended.set()
            for maker in makers:
                maker.join()


_OURS = "app.kubernetes.io/instance=fastload"


@pytest.fixture
def cluster(bare_cluster: ControlPlane, bare_client: httpx.Client, s3: S3, tmp_path: Path) -> Iterator[Cluster]:
    if not bare_cluster.kubectl("get", "namespace", NAMESPACE, "--ignore-not-found").stdout:
        bare_cluster.create_namespace(NAMESPACE, {"pod-security.kubernetes.io/enforce": "restricted"})
    cluster = Cluster(bare_cluster, bare_client, s3, tmp_path)
    try:
        yield cluster
    finally:
        cluster.close()
        cluster.helm("uninstall", "fastload", "--namespace", NAMESPACE, "--ignore-not-found")
        bare_cluster.kubectl(
            "delete", "secret/fastload-tls", "lease/fastload-tls", "-n", NAMESPACE, "--ignore-not-found"
        )
    assert [error for replica in cluster.replicas for error in replica.errors()] == []


@pytest.fixture
def installed(cluster: Cluster) -> Callable[[Json], list[Webhook]]:
    """Installs the release with these values, and two replicas behind the Service."""

    def install(values: Json) -> list[Webhook]:
        cluster.install(values)
        cluster.listen()
        replicas = cluster.run(2)
        cluster.serve(replicas)
        wait_until(cluster.is_tuned, what="the API server calls the webhook")
        return replicas

    return install


def test_no_pod_goes_untuned_over_several_rotations(
    cluster: Cluster, installed: Callable[[Json], list[Webhook]]
) -> None:
    replicas = installed(_SHORT_LIVED)
    failed, served = cluster.failed_open(), [{replica.certificate() for replica in replicas}]

    with cluster.pods_being_made() as statuses:
        for _ in range(3):
            before = served[-1]
            wait_until(
                lambda: before.isdisjoint({replica.certificate() for replica in replicas}),  # noqa: B023 (at once)
                what="both replicas serve the next certificate",
                timeout_s=2 * _LIFE_S,
            )
            served.append({replica.certificate() for replica in replicas})

    assert [len(each) for each in served] == [1] * 4
    assert set(statuses) == {"injected"}
    assert statuses.total() > 100
    assert cluster.failed_open() == failed
    assert all(replica.is_ready() for replica in replicas)


def test_what_somebody_wiped_is_back_within_seconds(
    cluster: Cluster, installed: Callable[[Json], list[Webhook]]
) -> None:
    installed(_SELF_MANAGED)
    (bundle,) = cluster.bundles()
    wipe = [{"op": "remove", "path": f"/webhooks/{number}/clientConfig/caBundle"} for number in (0, 1)]
    for kind in ("mutatingwebhookconfiguration", "validatingwebhookconfiguration"):
        cluster.control_plane.kubectl("patch", f"{kind}/fastload", "--type", "json", "--patch", json.dumps(wipe))

    wait_until(lambda: cluster.bundles() == {bundle}, what="every caBundle is back", timeout_s=10)
    wait_until(cluster.is_tuned, what="pods are tuned again", timeout_s=10)


def test_the_command_shows_the_certificate_and_who_trusts_it(
    cluster: Cluster, installed: Callable[[Json], list[Webhook]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(cluster.control_plane.admin_kubeconfig))
    assert "there is no Secret fastload-tls" in CliRunner().invoke(main, ["certs", "show"]).output
    installed(_SELF_MANAGED)

    shown = CliRunner().invoke(main, ["certs", "show"])

    assert shown.exit_code == 0, shown.output
    assert "serving: for fastload.fastload.svc, issued by" in shown.output
    assert ": 89 days left" in shown.output
    assert shown.output.count("  trusted by ") == 4


def test_an_upgrade_of_the_chart_leaves_the_bundles_as_they_are(
    cluster: Cluster, installed: Callable[[Json], list[Webhook]]
) -> None:
    replicas = installed(_SELF_MANAGED)
    (bundle,) = cluster.bundles()
    for replica in replicas:
        replica.stop()  # so that nobody could put right what the upgrade breaks

    cluster.install(_SELF_MANAGED, "--set", "webhooks.timeoutSeconds=4")
    cluster.helm("rollback", "fastload", "1", "--namespace", NAMESPACE)

    assert cluster.bundles() == {bundle}


def test_a_secret_that_somebody_deletes_costs_no_pod(
    cluster: Cluster, installed: Callable[[Json], list[Webhook]]
) -> None:
    replicas = installed(_SELF_MANAGED)
    failed, before = cluster.failed_open(), replicas[0].certificate()

    with cluster.pods_being_made() as statuses:
        cluster.control_plane.kubectl("delete", "secret/fastload-tls", "--namespace", NAMESPACE)
        wait_until(
            lambda: all(replica.certificate() != before for replica in replicas),
            what="both replicas serve the certificate that was made anew",
        )

    assert (set(statuses), cluster.failed_open()) == ({"injected"}, failed)


def test_whichever_replica_ends_the_other_one_renews(
    cluster: Cluster, installed: Callable[[Json], list[Webhook]]
) -> None:
    replicas = installed(_SELF_MANAGED)
    lease = cluster.control_plane.get("lease", "fastload-tls", "--namespace", NAMESPACE)
    assert lease["spec"]["holderIdentity"]
    failed = cluster.failed_open()
    with cluster.pods_being_made() as statuses:
        for replica in replicas:
            other = next(each for each in replicas if each is not replica)
            cluster.serve([other])
            replica.stop()
            cluster.control_plane.kubectl("delete", "secret/fastload-tls", "--namespace", NAMESPACE)
            before = other.certificate()
            wait_until(lambda: other.certificate() != before, what="the other one renews")  # noqa: B023 (at once)
            replica.start()
            cluster.serve(replicas)

    assert (set(statuses), cluster.failed_open()) == ({"injected"}, failed)


def test_an_installation_with_a_certificate_by_hand_is_taken_over_and_no_pod_goes_untuned(
    cluster: Cluster, tmp_path: Path
) -> None:
    files: Files = issue([f"fastload.{NAMESPACE}.svc"], tmp_path / "by-hand", 365)
    pair = ("--cert", str(files.certificate), "--key", str(files.key))
    cluster.control_plane.kubectl("create", "secret", "tls", "fastload-tls", "--namespace", NAMESPACE, *pair)
    cluster.install({"certificates": {"source": "secret", "caBundle": files.authority.read_text()}})
    cluster.listen()
    old = cluster.run(2)
    cluster.serve(old)
    wait_until(cluster.is_tuned, what="the API server calls the webhook")
    failed = cluster.failed_open()

    with cluster.pods_being_made() as statuses:
        cluster.install(_SELF_MANAGED)
        new = cluster.run(2)
        cluster.serve(new)
        for replica in old:
            replica.stop()
        secret = wait_until_adopted(cluster)

    assert {replica.certificate() for replica in new} == {files.certificate.read_text()}
    assert secret.keys() == {"tls.crt", "tls.key", "ca.crt"}
    assert (set(statuses), cluster.failed_open()) == ({"injected"}, failed)


def wait_until_adopted(cluster: Cluster) -> Json:
    def data() -> Json:
        found: Json = cluster.control_plane.get("secret", "fastload-tls", "--namespace", NAMESPACE)["data"]
        return found

    wait_until(lambda: "ca.crt" in data(), what="the Secret knows its authority")
    return data()


def test_a_replica_that_starts_while_the_api_server_is_away_is_ready_once_it_is_back(
    cluster: Cluster, installed: Callable[[Json], list[Webhook]]
) -> None:
    replicas = installed(_SELF_MANAGED)
    replicas[0].stop()
    with cluster.control_plane.api_server_stopped():
        replicas[0].start()
        wait_until(replicas[0].is_alive, what="it lives")
        assert not replicas[0].is_ready()
    cluster.serve(replicas)
    assert cluster.is_tuned()
    assert ssl.get_server_certificate(replicas[0].address) == replicas[1].certificate()
