from collections.abc import Iterator

import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.namespace import Namespace
from tests.e2e.nodes import NODE_POOLS, node, node_pool
from tests.e2e.pods import Json, anywhere, plan
from tests.e2e.webhook_process import Webhook

CATALOGUE = "catalogue"


@pytest.fixture
def pod(model: Model) -> Json:
    """A pod that leaves its instance type to the cluster."""
    return anywhere(model)


def test_nodes_that_come_and_go_are_the_types_a_pod_may_get(
    control_plane: ControlPlane, webhook: Webhook, namespace: Namespace, pod: Json
) -> None:
    assert webhook.is_ready()

    def types() -> list[str]:
        found: list[str] = plan(namespace.create_pod(pod, dry_run=True)).get("instance_types", [])
        return found

    assert len(types()) > 2
    with node(control_plane, "p5.48xlarge"):
        wait_until(lambda: types() == ["p5.48xlarge"], what="the node is seen")
        with node(control_plane, "g6.12xlarge", gpus=4), node(control_plane, "g6.xlarge", gpus=1):
            # The pod asks for two GPUs, which the last of them has not.
            wait_until(lambda: types() == ["g6.12xlarge", "p5.48xlarge"], what="the other nodes are seen")
        wait_until(lambda: types() == ["p5.48xlarge"], what="the other nodes are forgotten")
    wait_until(lambda: len(types()) > 2, what="the node is forgotten")


@pytest.fixture
def karpenter(control_plane: ControlPlane, webhook: Webhook) -> Iterator[None]:
    """Karpenter's NodePools, which are there when the webhook starts."""
    control_plane.apply(NODE_POOLS)
    control_plane.kubectl("wait", "--for=condition=Established", f"crd/{NODE_POOLS['metadata']['name']}")
    with webhook.stopped():
        pass
    yield
    control_plane.kubectl("delete", "crd", NODE_POOLS["metadata"]["name"])


@pytest.mark.usefixtures("karpenter")
def test_node_pools_that_change_are_the_types_a_pod_may_get(
    control_plane: ControlPlane, namespace: Namespace, pod: Json
) -> None:
    def seen() -> tuple[str, list[str]]:
        shown = plan(namespace.create_pod(pod, dry_run=True))
        return shown["source"], shown.get("instance_types", [])

    control_plane.apply(node_pool("gpus", "p5.48xlarge", "p4d.24xlarge"))
    wait_until(lambda: seen() == ("node-pools", ["p4d.24xlarge", "p5.48xlarge"]), what="the NodePool is seen")

    control_plane.apply(node_pool("gpus", "g6.12xlarge"))
    wait_until(lambda: seen() == ("node-pools", ["g6.12xlarge"]), what="its change is seen")

    control_plane.kubectl("delete", "nodepool", "gpus")
    wait_until(lambda: seen()[0] == CATALOGUE, what="it is forgotten")
