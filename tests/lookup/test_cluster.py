"""The cluster in memory."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec
import pytest

from webhook.lookup.cluster import Cluster, NoCluster
from webhook.lookup.facts import Namespace, PodSecurity, Unknown
from webhook.lookup.stores import NamespaceRules
from webhook.lookup.watching import KubeError
from webhook.reasons import Code

GPU = "nvidia.com/gpu"
SOON = 10.0


class Api:
    """An API server with objects by path; a watch of it stays open and says what a test puts."""

    def __init__(self, **lists: list[dict[str, Any]]) -> None:
        self.lists = lists
        self.objects: dict[str, bytes] = {}
        self.events: dict[str, asyncio.Queue[bytes]] = {}
        self.asked: list[str] = []

    async def get(self, path: str, query: Mapping[str, str]) -> bytes:  # noqa: ARG002 - a KubeApi's
        self.asked.append(path)
        name = path.rpartition("/")[2]
        if name in self.lists:
            return msgspec.json.encode({"metadata": {"resourceVersion": "1"}, "items": self.lists[name]})
        if path in self.objects:
            return self.objects[path]
        raise KubeError(f"{path}: 404 Not Found", 404)

    async def watch(self, path: str, query: Mapping[str, str]) -> AsyncIterator[bytes]:  # noqa: ARG002 - ditto
        queue = self.events.setdefault(path.rpartition("/")[2], asyncio.Queue())
        while True:
            yield await queue.get()

    async def say(self, resource: str, kind: str, found: dict[str, Any]) -> None:
        await self.events[resource].put(msgspec.json.encode({"type": kind, "object": found}))
        for _ in range(5):
            await asyncio.sleep(0)


def namespace(name: str, **labels: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": labels, "resourceVersion": "1"}}


def node(name: str, kind: str) -> dict[str, Any]:
    labels = {"node.kubernetes.io/instance-type": kind}
    return {"metadata": {"name": name, "labels": labels}, "status": {"allocatable": {GPU: "8"}}}


def test_what_the_cluster_has_is_in_memory() -> None:
    async def scene() -> None:
        api = Api(
            namespaces=[namespace("team-a", **{"fastload.dev/inject": "enabled"})],
            nodes=[node("node-1", "p5.48xlarge")],
            nodepools=[{"metadata": {"name": "gpu"}, "spec": {"template": {"spec": {}}}}],
        )
        cluster = Cluster(api, NamespaceRules())
        assert cluster.namespace("team-a") is None
        assert not cluster.inventory.kinds
        await cluster.start()
        assert await cluster.settled(SOON)
        assert cluster.namespace("team-a") == Namespace(name="team-a", opted_in=True)
        assert cluster.namespace("team-b") is None
        assert [kind.instance_type for kind in cluster.inventory.kinds] == ["p5.48xlarge"]
        assert [pool.name for pool in cluster.inventory.pools] == ["gpu"]
        assert cluster.inventory.names["node-1"] is cluster.inventory.kinds[0]
        assert cluster.problems == {}
        await cluster.close()

    asyncio.run(scene())


def test_the_inventory_is_the_same_until_a_kind_of_node_changes() -> None:
    async def scene() -> None:
        api = Api(namespaces=[], nodes=[node("node-1", "p5.48xlarge")], nodepools=[])
        cluster = Cluster(api, NamespaceRules())
        await cluster.start()
        assert await cluster.settled(SOON)
        await asyncio.sleep(0)
        before = cluster.inventory
        await api.say("nodes", "ADDED", node("node-2", "p5.48xlarge"))
        assert cluster.inventory is before
        assert "node-2" in before.names
        await api.say("nodes", "ADDED", node("node-3", "g6e.48xlarge"))
        assert {kind.instance_type for kind in cluster.inventory.kinds} == {"p5.48xlarge", "g6e.48xlarge"}
        await cluster.close()

    asyncio.run(scene())


def test_without_karpenter_the_rest_is_followed() -> None:
    async def scene() -> None:
        cluster = Cluster(Api(namespaces=[namespace("team-a")], nodes=[]), NamespaceRules())
        await cluster.start()
        assert await cluster.settled(SOON)
        assert cluster.namespace("team-a") is not None
        assert cluster.problems == {"nodepools": "/apis/karpenter.sh/v1/nodepools: 404 Not Found"}
        await cluster.close()

    asyncio.run(scene())


class Away(Api):
    """An API server that is not there."""

    async def get(self, path: str, query: Mapping[str, str]) -> bytes:  # noqa: ARG002 - a KubeApi's
        raise KubeError(f"{path}: ClientConnectorError")


def test_a_server_away_at_the_start_is_not_waited_for() -> None:
    async def scene() -> None:
        cluster = Cluster(Away(), NamespaceRules())
        await cluster.start()
        assert not await cluster.settled(0.01)
        assert set(cluster.problems) == {"namespaces", "nodes", "nodepools"}
        assert cluster.namespace("team-a") is None
        found = await cluster.fetch_namespace("team-a")
        assert isinstance(found, Unknown)
        assert found.reason.code is Code.NAMESPACE_UNKNOWN
        assert "no answer" in found.reason.text
        await cluster.close()

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("body", "problem"),
    [(None, "status 404"), (b"<html>", "an answer that cannot be read")],
    ids=["absent", "garbage"],
)
def test_a_namespace_that_cannot_be_read(body: bytes | None, problem: str) -> None:
    async def scene() -> None:
        api = Api()
        if body is not None:
            api.objects["/api/v1/namespaces/team-a"] = body
        found = await Cluster(api, NamespaceRules()).fetch_namespace("team-a")
        assert isinstance(found, Unknown)
        assert found.reason.code is Code.NAMESPACE_UNKNOWN
        assert problem in found.reason.text

    asyncio.run(scene())


def test_a_namespace_asked_for_by_name() -> None:
    async def scene() -> None:
        api = Api()
        api.objects["/api/v1/namespaces/team-a"] = msgspec.json.encode(
            namespace("team-a", **{"pod-security.kubernetes.io/enforce": "baseline"})
        )
        found = await Cluster(api, NamespaceRules()).fetch_namespace("team-a")
        assert found == Namespace(name="team-a", pod_security=PodSecurity.BASELINE)

    asyncio.run(scene())


def test_a_namespaces_name_cannot_lead_elsewhere() -> None:
    async def scene() -> None:
        api = Api()
        await Cluster(api, NamespaceRules()).fetch_namespace("../nodes?x=")
        assert api.asked == ["/api/v1/namespaces/..%2Fnodes%3Fx%3D"]

    asyncio.run(scene())


def test_no_cluster() -> None:
    cluster = NoCluster(NamespaceRules(pod_security=PodSecurity.BASELINE), {"fastload.dev/inject": "enabled"})
    expected = Namespace(name="team-a", opted_in=True, pod_security=PodSecurity.BASELINE)
    assert cluster.namespace("team-a") == expected
    assert asyncio.run(cluster.fetch_namespace("team-a")) == expected
    assert not cluster.inventory.kinds
