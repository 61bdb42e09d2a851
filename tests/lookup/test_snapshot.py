"""The cluster at one moment."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec
import pytest

from webhook.lookup.facts import Namespace, PodSecurity, Unknown
from webhook.lookup.snapshot import Snapshot
from webhook.lookup.stores import NamespaceRules
from webhook.lookup.watching import KubeError

NODES, POOLS, NAMESPACE = "/api/v1/nodes", "/apis/karpenter.sh/v1/nodepools", "/api/v1/namespaces/serving"
NODE = {"metadata": {"name": "n", "labels": {"node.kubernetes.io/instance-type": "p5.48xlarge"}}}
POOL = {"metadata": {"name": "gpu"}, "spec": {"template": {"spec": {}}}}
SERVING = {"metadata": {"name": "serving", "labels": {"pod-security.kubernetes.io/enforce": "baseline"}}}


class Api:
    """An API server with an answer for each path: what it holds, or the status that it refuses with."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = answers

    async def get(self, path: str, query: Mapping[str, str]) -> bytes:
        answer = self.answers.get(path, 404)
        if answer is None or isinstance(answer, int):
            raise KubeError(f"{path}: {answer}", answer)
        if isinstance(answer, list):  # a page for each object
            at = int(query.get("continue", "0"))
            more = str(at + 1) if at + 1 < len(answer) else ""
            return msgspec.json.encode({"metadata": {"continue": more}, "items": answer[at : at + 1]})
        return msgspec.json.encode(answer)

    def watch(self, path: str, query: Mapping[str, str]) -> AsyncIterator[bytes]:
        raise AssertionError(f"{path} {query} is watched, which nobody asked for")


def taken(answers: Mapping[str, Any]) -> Snapshot:
    snapshot = Snapshot(Api(answers), NamespaceRules())
    asyncio.run(snapshot.read())
    return snapshot


def test_it_has_every_page_of_nodes_and_node_pools() -> None:
    other = {"metadata": {"name": "m", "labels": {"node.kubernetes.io/instance-type": "g6.xlarge"}}}
    inventory = taken({NODES: [NODE, other], POOLS: [POOL]}).inventory
    assert [kind.instance_type for kind in inventory.kinds] == ["p5.48xlarge", "g6.xlarge"]
    assert [pool.name for pool in inventory.pools] == ["gpu"]
    assert set(inventory.names) == {"n", "m"}


def test_a_namespace_is_read_when_a_pod_is_in_it() -> None:
    snapshot = taken({NODES: [NODE], NAMESPACE: SERVING})
    found = asyncio.run(snapshot.fetch_namespace("serving"))
    assert found == Namespace(name="serving", pod_security=PodSecurity.BASELINE)
    assert snapshot.namespaces_read == 1


@pytest.mark.parametrize(
    ("answers", "faults"),
    [
        pytest.param({NODES: [NODE]}, {}, id="no Karpenter"),
        pytest.param({NODES: [NODE], POOLS: 403}, {"nodepools": 403}, id="NodePools forbidden"),
        pytest.param({NODES: 403, POOLS: [POOL]}, {"nodes": 403}, id="nodes forbidden"),
        pytest.param({NODES: 500, POOLS: [POOL]}, {"nodes": 500}, id="nodes fail"),
    ],
)
def test_what_may_not_be_read_is_told_and_the_rest_is_there(
    answers: Mapping[str, Any], faults: Mapping[str, int]
) -> None:
    snapshot = taken(answers)
    assert {what: fault.status for what, fault in snapshot.faults.items()} == faults
    assert bool(snapshot.inventory.kinds) is isinstance(answers[NODES], list)


@pytest.mark.parametrize("status", [403, 404, None])
def test_a_namespace_that_cannot_be_read_is_unknown(status: int | None) -> None:
    snapshot = taken({NODES: [NODE], NAMESPACE: status})
    assert isinstance(asyncio.run(snapshot.fetch_namespace("serving")), Unknown)
    assert snapshot.faults["namespaces/serving"].status == status
    assert snapshot.namespaces_read == 0


@pytest.mark.parametrize("status", [None, 401])
def test_a_server_that_cannot_be_talked_to_is_an_error(status: int | None) -> None:
    with pytest.raises(KubeError):
        taken({NODES: status, POOLS: [POOL]})
