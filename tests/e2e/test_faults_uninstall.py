"""An upgrade from an earlier manifest, and an end in the wrong order: nothing blocks a pod."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.deploy.rendering import INSTALL
from tests.e2e.installation import NAMESPACE, bindable
from tests.e2e.s3 import S3
from tests.e2e.served_cluster import ServedCluster
from webhook.server.certificates import Files, issue

PREVIOUS = Path(__file__).with_name("previous") / "install.yaml"
OPERATING = Path(__file__).parents[2] / "docs/operating.md"
OURS = ("--selector", "app.kubernetes.io/instance=fastload")


@pytest.fixture
def cluster(bare_cluster: ControlPlane, bare_client: httpx.Client, s3: S3, tmp_path: Path) -> Iterator[ServedCluster]:
    cluster = ServedCluster(bare_cluster, bare_client, s3, tmp_path)
    try:
        yield cluster
    finally:
        cluster.close()
        delete_by_the_docs(bare_cluster)
        bare_cluster.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found")


def delete_by_the_docs(cluster: ControlPlane) -> None:
    """Runs the commands of the docs for an installation whose namespace has gone first."""
    (block,) = re.findall(r"namespace went first.*?```console\n(.*?)```", OPERATING.read_text(), re.DOTALL)
    for command in block.replace("\\\n", " ").splitlines():
        cluster.kubectl(*command.removeprefix("kubectl ").split())


def left(cluster: ControlPlane) -> list[str]:
    """What there is of the release outside of any namespace."""
    kinds = cluster.kubectl("api-resources", "--namespaced=false", "--verbs", "list", "--output", "name").stdout
    found = cluster.get(",".join(kinds.split()), *OURS)["items"]
    return [f"{each['kind']}/{each['metadata']['name']}" for each in found]


def test_an_upgrade_of_an_earlier_manifest_refuses_no_pod_and_tunes_as_before(
    bare_cluster: ControlPlane, cluster: ServedCluster, tmp_path: Path
) -> None:
    files: Files = issue([f"fastload.{NAMESPACE}.svc"], tmp_path / "by-hand", 365)
    authority = base64.b64encode(files.authority.read_bytes()).decode()
    earlier = PREVIOUS.read_text().replace('caBundle: ""', f'caBundle: "{authority}"')
    bare_cluster.create_namespace(NAMESPACE)
    pair = ("--cert", str(files.certificate), "--key", str(files.key))
    bare_cluster.kubectl("create", "secret", "tls", "fastload-tls", "--namespace", NAMESPACE, *pair)
    bare_cluster.kubectl("apply", "-f", "-", stdin=earlier)
    cluster.listen()
    old = cluster.run(2)
    cluster.serve(old)
    wait_until(cluster.is_tuned, what="the API server calls the earlier webhook")

    with cluster.pods_being_made() as statuses:
        bare_cluster.kubectl("apply", "-f", str(INSTALL))
        new = cluster.run(2)
        cluster.serve([*old, *new])
        cluster.retire(old)
    wait_until(cluster.is_tuned, what="the new replicas are called")
    with cluster.pods_being_made() as afterwards:
        wait_until(lambda: afterwards.total() >= 40, what="pods are made")

    assert set(statuses) <= {"injected", None}
    assert set(afterwards) == {"injected"}


def test_a_namespace_that_goes_before_the_release_blocks_no_pod_and_leaves_nothing_by_the_docs(
    bare_cluster: ControlPlane, cluster: ServedCluster
) -> None:
    cluster.install(bindable(), "--create-namespace")
    cluster.listen()
    replicas = cluster.run(1)
    cluster.serve(replicas)
    wait_until(cluster.is_tuned, what="the API server calls the webhook")

    with cluster.pods_being_made() as statuses:
        bare_cluster.kubectl("delete", "namespace", NAMESPACE)
        cluster.retire(replicas)
        wait_until(lambda: statuses[None] >= 20, what="pods are made without it")

    assert set(statuses) <= {"injected", None}
    assert left(bare_cluster) != []
    delete_by_the_docs(bare_cluster)
    assert left(bare_cluster) == []
