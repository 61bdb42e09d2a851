"""The cluster in memory: namespaces, kinds of node and NodePools, followed so that a review need not ask for them."""

import asyncio
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import quote

import msgspec

from webhook.lookup.facts import Namespace, Unknown
from webhook.lookup.inventory import Inventory
from webhook.lookup.stores import NamespaceRules, Namespaces, Nodes, NodeView, Pools, PoolView
from webhook.lookup.watching import Follower, KubeApi, KubeError, Named, decode
from webhook.reasons import Code, because

_NAMESPACES = "/api/v1/namespaces"
NODES = "/api/v1/nodes"
POOLS = "/apis/karpenter.sh/v1/nodepools"


class ClusterView(Protocol):
    """What the look-ups ask of a cluster."""

    @property
    def inventory(self) -> Inventory:
        """The nodes' kinds and the NodePools; the same object as long as they are the same."""

    def namespace(self, name: str) -> Namespace | None:
        """Returns a namespace from memory; None where it is not there."""

    async def fetch_namespace(self, name: str) -> Namespace | Unknown:
        """Asks for a namespace that memory does not have."""


class NoCluster:
    """No cluster at all: every namespace has the labels given, and there are no nodes."""

    def __init__(self, rules: NamespaceRules, labels: Mapping[str, str] | None = None) -> None:
        self.inventory = Inventory()
        self._rules = rules
        self._labels = labels or {}
        # The one that was asked for last, so that it is the same object as long as nobody asks for another.
        self._last = self._rules.read("", self._labels)

    def namespace(self, name: str) -> Namespace:
        """Returns the namespace as the labels say that stand for every namespace's."""
        if self._last.name != name:
            self._last = self._rules.read(name, self._labels)
        return self._last

    async def fetch_namespace(self, name: str) -> Namespace:
        """Returns the same as `namespace`."""
        return self.namespace(name)


class Cluster:
    """A cluster, followed through its API server. It belongs to one event loop.

    NodePools may be missing or forbidden, and the API server away, at the start or later: the look-ups go on with what
    is known, and `problems` tells what is not.
    """

    def __init__(self, api: KubeApi, rules: NamespaceRules) -> None:
        self._api = api
        self._rules = rules
        self._namespaces = Namespaces(rules)
        self._nodes = Nodes()
        self._pools = Pools()
        self._followers: dict[str, Follower[Named] | Follower[NodeView] | Follower[PoolView]] = {
            "namespaces": Follower(api, _NAMESPACES, Named, self._namespaces),
            "nodes": Follower(api, NODES, NodeView, self._nodes),
            "nodepools": Follower(api, POOLS, PoolView, self._pools),
        }
        self._tasks: list[asyncio.Task[None]] = []
        self._inventory = Inventory()
        self._revisions = (0, 0)

    async def start(self) -> None:
        """Begins to follow the cluster; returns at once."""
        self._tasks = [asyncio.create_task(follower.run()) for follower in self._followers.values()]

    async def close(self) -> None:
        """Stops following."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def settled(self, timeout_seconds: float) -> bool:
        """Waits until the server has answered for every resource; False where that takes longer."""
        waits = (follower.settled.wait() for follower in self._followers.values())
        try:
            async with asyncio.timeout(timeout_seconds):
                await asyncio.gather(*waits)
        except TimeoutError:
            return False
        return True

    @property
    def problems(self) -> dict[str, str]:
        """What cannot be followed now, by resource, and why."""
        return {name: follower.problem for name, follower in self._followers.items() if follower.problem}

    @property
    def heard(self) -> dict[str, float]:
        """When the API server last told how each resource is, in seconds since the epoch; 0 where it never did."""
        return {name: follower.heard for name, follower in self._followers.items()}

    @property
    def inventory(self) -> Inventory:
        """The nodes' kinds and the NodePools; a new object when either changed."""
        revisions = (self._nodes.revision, self._pools.revision)
        if revisions != self._revisions:
            self._revisions = revisions
            self._inventory = Inventory(self._nodes.kinds, tuple(self._pools.by_name.values()), self._nodes.by_name)
        return self._inventory

    def namespace(self, name: str) -> Namespace | None:
        """Returns a namespace from memory; None where it is not there, as one that was made just now."""
        return self._namespaces.by_name.get(name)

    async def fetch_namespace(self, name: str) -> Namespace | Unknown:
        """Asks the API server for one namespace."""
        try:
            return await read_namespace(self._api, self._rules, name)
        except KubeError as fault:
            return unknown_namespace(name, fault)


async def read_namespace(api: KubeApi, rules: NamespaceRules, name: str) -> Namespace:
    """Asks the API server for one namespace.

    Raises:
        KubeError: the server is not reached, refuses, has no such namespace, or sends what cannot be read.
    """
    body = await api.get(f"{_NAMESPACES}/{quote(name, safe='')}", {})
    return rules.read(name, decode(_NAMED, body).metadata.labels or {})


def unknown_namespace(name: str, fault: KubeError) -> Unknown:
    """Returns what stands for a namespace that could not be read."""
    return Unknown(because(Code.NAMESPACE_UNKNOWN, namespace=name, problem=_problem(fault)))


_NAMED = msgspec.json.Decoder(Named)


def _problem(fault: KubeError) -> str:
    if fault.status:
        return f"status {fault.status}"
    return "an answer that cannot be read" if isinstance(fault.__cause__, msgspec.DecodeError) else "no answer"
