"""A certificate that fastload keeps by itself, on the real API server, while pods are made all the time.

Certificates live for half a minute here instead of for months; everything else is as it is shipped: the chart's roles,
two replicas, and one of them renewing.
"""

import json
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.installation import NAMESPACE
from tests.e2e.s3 import S3
from tests.e2e.served_cluster import ServedCluster
from tests.e2e.webhook_process import Webhook
from webhook.cli import main
from webhook.server.certificates import Files, issue

Json = dict[str, Any]

_LIFE_S = 30
# One API server on this machine hears of a change at once; the defaults are for several, some of them far away.
_HASTY = {"certificatePollSeconds": 0.5, "certificateSettleSeconds": 2}
_SELF_MANAGED: Json = {"certificates": {"source": "self-managed"}, "settings": _HASTY}
_SHORT_LIVED: Json = {**_SELF_MANAGED, "settings": {**_HASTY, "certificateHours": _LIFE_S / 3600}}


@pytest.fixture
def cluster(bare_cluster: ControlPlane, bare_client: httpx.Client, s3: S3, tmp_path: Path) -> Iterator[ServedCluster]:
    if not bare_cluster.kubectl("get", "namespace", NAMESPACE, "--ignore-not-found").stdout:
        bare_cluster.create_namespace(NAMESPACE, {"pod-security.kubernetes.io/enforce": "restricted"})
    cluster = ServedCluster(bare_cluster, bare_client, s3, tmp_path)
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
def installed(cluster: ServedCluster) -> Callable[[Json], list[Webhook]]:
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
    cluster: ServedCluster, installed: Callable[[Json], list[Webhook]]
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
    cluster: ServedCluster, installed: Callable[[Json], list[Webhook]]
) -> None:
    installed(_SELF_MANAGED)
    (bundle,) = cluster.bundles()
    wipe = [{"op": "remove", "path": f"/webhooks/{number}/clientConfig/caBundle"} for number in (0, 1)]
    for kind in ("mutatingwebhookconfiguration", "validatingwebhookconfiguration"):
        cluster.control_plane.kubectl("patch", f"{kind}/fastload", "--type", "json", "--patch", json.dumps(wipe))

    wait_until(lambda: cluster.bundles() == {bundle}, what="every caBundle is back", timeout_s=10)
    wait_until(cluster.is_tuned, what="pods are tuned again", timeout_s=10)


def test_the_command_shows_the_certificate_and_who_trusts_it(
    cluster: ServedCluster, installed: Callable[[Json], list[Webhook]], monkeypatch: pytest.MonkeyPatch
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
    cluster: ServedCluster, installed: Callable[[Json], list[Webhook]]
) -> None:
    replicas = installed(_SELF_MANAGED)
    (bundle,) = cluster.bundles()
    for replica in replicas:
        replica.stop()  # so that nobody could put right what the upgrade breaks

    cluster.install(_SELF_MANAGED, "--set", "webhooks.timeoutSeconds=4")
    cluster.helm("rollback", "fastload", "1", "--namespace", NAMESPACE)

    assert cluster.bundles() == {bundle}


def test_a_secret_that_somebody_deletes_costs_no_pod(
    cluster: ServedCluster, installed: Callable[[Json], list[Webhook]]
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


def test_a_secret_that_was_deleted_is_shown_as_a_renewal_under_way(
    cluster: ServedCluster, installed: Callable[[Json], list[Webhook]], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = str(cluster.control_plane.admin_kubeconfig)
    monkeypatch.setenv("KUBECONFIG", "/nowhere/kubeconfig")
    settled = {**_HASTY, "certificateSettleSeconds": 600}
    replicas = installed({**_SELF_MANAGED, "settings": settled})
    before = replicas[0].certificate()

    cluster.control_plane.kubectl("delete", "secret/fastload-tls", "--namespace", NAMESPACE)
    command = ["certs", "show", "--kubeconfig", config]
    wait_until(lambda: CliRunner().invoke(main, command).exit_code == 0, what="every webhook trusts the next one")

    assert "renewal under way: pods serve the previous certificate" in CliRunner().invoke(main, command).output
    report = json.loads(CliRunner().invoke(main, ["doctor", "-o", "json", "--kubeconfig", config]).output)
    (told,) = (each for each in report["findings"] if each["check"] == "certificate")
    assert (told["level"], "renewal under way" in told["text"]) == ("ok", True)
    assert cluster.is_tuned()
    assert {replica.certificate() for replica in replicas} == {before}


def test_whichever_replica_ends_the_other_one_renews(
    cluster: ServedCluster, installed: Callable[[Json], list[Webhook]]
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
    cluster: ServedCluster, tmp_path: Path
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


def wait_until_adopted(cluster: ServedCluster) -> Json:
    def data() -> Json:
        found: Json = cluster.control_plane.get("secret", "fastload-tls", "--namespace", NAMESPACE)["data"]
        return found

    wait_until(lambda: "ca.crt" in data(), what="the Secret knows its authority")
    return data()


def test_a_replica_that_starts_while_the_api_server_is_away_is_ready_once_it_is_back(
    cluster: ServedCluster, installed: Callable[[Json], list[Webhook]]
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
