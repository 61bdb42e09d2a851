"""Replicas come, go and die while pods are made through the real API server.

The tests stand for the Deployment's controller, the kubelet and kube-proxy: see `ServedCluster` and `Balancer`.
"""

from collections import Counter
from collections.abc import Callable, Iterator

import httpx
import pytest

from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.installation import NAMESPACE, bindable
from tests.e2e.s3 import S3
from tests.e2e.served_cluster import ServedCluster
from tests.e2e.webhook_process import Webhook

# The drain that the tests set, one review at the longest, and what it takes to notice.
ENDS_WITHIN_S = 12
Statuses = Counter[str | None]


@pytest.fixture(scope="module")
def installed(
    bare_cluster: ControlPlane, bare_client: httpx.Client, s3: S3, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServedCluster]:
    bare_cluster.create_namespace(NAMESPACE)
    cluster = ServedCluster(bare_cluster, bare_client, s3, tmp_path_factory.mktemp("lifecycle"))
    try:
        cluster.install({**bindable(), "settings": {"certificatePollSeconds": 0.5, "certificateSettleSeconds": 2}})
        cluster.listen()
        yield cluster
    finally:
        cluster.close()
    assert [error for replica in cluster.replicas for error in replica.errors()] == []


@pytest.fixture
def serving(installed: ServedCluster) -> Iterator[Callable[[int], list[Webhook]]]:
    """Has so many new replicas answer; they are gone after the test."""
    started: list[Webhook] = []

    def serve(number: int) -> list[Webhook]:
        replicas = installed.run(number)
        started.extend(replicas)
        installed.serve(replicas)
        wait_until(installed.is_tuned, what="the API server calls the webhook")
        return replicas

    yield serve
    for replica in started:
        replica.stop()


def more(statuses: Statuses, number: int = 40) -> None:
    """Waits until so many pods more were made."""
    wanted = statuses.total() + number
    wait_until(lambda: statuses.total() >= wanted, what="pods are made", timeout_s=60)


def test_a_rolling_update_leaves_no_pod_untuned(
    installed: ServedCluster, serving: Callable[[int], list[Webhook]]
) -> None:
    old = serving(2)
    failed, ends = installed.failed_open(), []
    with installed.pods_being_made() as statuses:
        for replica in old:
            more(statuses)
            new = installed.run(1)
            installed.serve([*(each for each in installed.replicas if each.is_ready()), *new])
            ends.append(installed.retire([replica]))
        more(statuses)

    assert (set(statuses), installed.failed_open() - failed) == ({"injected"}, 0)
    assert max(ends) < ENDS_WITHIN_S
    installed.retire([each for each in installed.replicas if each.is_ready()])


def test_more_and_fewer_replicas_leave_no_pod_untuned(
    installed: ServedCluster, serving: Callable[[int], list[Webhook]]
) -> None:
    first = serving(1)
    failed = installed.failed_open()
    with installed.pods_being_made() as statuses:
        more(statuses)
        others = installed.run(2)
        installed.serve([*first, *others])
        more(statuses)
        took = installed.retire(others)
        more(statuses)

    assert (set(statuses), installed.failed_open() - failed) == ({"injected"}, 0)
    assert took < ENDS_WITHIN_S


def test_a_replica_that_is_killed_refuses_no_pod_and_none_goes_untuned_once_it_is_forgotten(
    installed: ServedCluster, serving: Callable[[int], list[Webhook]]
) -> None:
    victim, other = serving(2)
    failed = installed.failed_open()
    with installed.pods_being_made() as meanwhile:
        more(meanwhile)
        installed.kill(victim)
    with installed.pods_being_made() as afterwards:
        more(afterwards)

    assert set(meanwhile) <= {"injected", None}
    # Each of them was given up on by the API server; none was answered wrongly.
    assert meanwhile[None] <= installed.failed_open() - failed
    assert set(afterwards) == {"injected"}
    assert other.is_ready()
