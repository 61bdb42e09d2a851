"""The work of a review does not grow with the cluster."""

import asyncio

import msgspec
import pytest

from benchmarks.cluster import Api, Size
from benchmarks.reviews import reviews
from benchmarks.wired import Wired, serve
from tests.work.counting import Tally
from webhook.lookup.cluster import Cluster
from webhook.lookup.stores import NamespaceRules

# With every kind of node that a larger one has.
SMALL = Size(nodes=60, pools=2, namespaces=10)
INSTANCE_TYPE = b'"node.kubernetes.io/instance-type":"p5.48xlarge"'
A_NODE = b'"kubernetes.io/hostname":"ip-10-0-0-7.us-west-2.compute.internal"'
A_ZONE = b'"topology.kubernetes.io/zone":"us-west-2a"'


async def bytecodes_in(size: Size, placement: bytes) -> tuple[int, int]:
    """Instructions of a review in a cluster of this size: of the first pod that asks for this, and of the second."""
    cluster = Cluster(Api(size), NamespaceRules())
    await cluster.start()
    assert await cluster.settled(60)
    endpoint = Wired(cluster).endpoint()
    warm_up, pod = (body.replace(INSTANCE_TYPE, placement) for body in reviews("exec", 2, 1))
    other = b'"kubernetes.io/arch":"amd64",' + placement
    tally = Tally()
    counts = []
    with tally.of_bytecodes():
        for body in (warm_up, warm_up, pod.replace(placement, other), pod.replace(placement, other)):
            before = tally.count
            await serve(endpoint, body)
            counts.append(tally.count - before)
    await cluster.close()
    return counts[2], counts[3]


@pytest.mark.parametrize("placement", [INSTANCE_TYPE, A_NODE, A_ZONE], ids=["instance type", "node", "zone"])
@pytest.mark.parametrize(
    "grown", [{"nodes": 3_000}, {"namespaces": 3_000}, {"pools": 100}], ids=["nodes", "namespaces", "NodePools"]
)
def test_a_review_is_the_same_work_in_a_large_cluster(grown: dict[str, int], placement: bytes) -> None:
    first, second = asyncio.run(bytecodes_in(SMALL, placement))
    first_in_large, second_in_large = asyncio.run(bytecodes_in(msgspec.structs.replace(SMALL, **grown), placement))
    assert second_in_large == second
    # NodePools are looked through for the first pod that asks for this, and each is little work.
    allowed = 700 * grown.get("pools", 0)
    assert first_in_large <= first + allowed
