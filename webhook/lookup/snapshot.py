"""The cluster at one moment, for a command that asks once: nodes and NodePools, and each namespace that a pod is in."""

import asyncio
from typing import TypeVar

from webhook.lookup.cluster import NODES, POOLS, read_namespace, unknown_namespace
from webhook.lookup.facts import Namespace, Unknown
from webhook.lookup.inventory import Inventory
from webhook.lookup.stores import NamespaceRules, Nodes, NodeView, Pools, PoolView
from webhook.lookup.watching import KubeApi, KubeError, Named, Store, list_all, pages_of

_T = TypeVar("_T", bound=Named)
_UNKNOWN_USER = 401
_ABSENT = 404


class Snapshot:
    """A cluster as it was when it was read; a `ClusterView`. It only reads, and goes on without what it may not read.

    `faults` has what could not be read: "nodes", "nodepools", or "namespaces/" and a name.
    """

    def __init__(self, api: KubeApi, rules: NamespaceRules) -> None:
        self.inventory = Inventory()
        self.faults: dict[str, KubeError] = {}
        self.namespaces_read = 0
        self._api = api
        self._rules = rules

    async def read(self) -> None:
        """Reads nodes and NodePools; a cluster without Karpenter has none.

        Raises:
            KubeError: there is no talking to the server: it is not reached, or does not take the credentials.
        """
        nodes, pools = Nodes(), Pools()
        no_nodes, no_pools = await asyncio.gather(
            self._fill(nodes, NODES, NodeView), self._fill(pools, POOLS, PoolView)
        )
        for fault in (no_nodes, no_pools):
            if fault is not None and fault.status in (None, _UNKNOWN_USER):
                raise fault
        if no_nodes:
            self.faults["nodes"] = no_nodes
        if no_pools and no_pools.status != _ABSENT:
            self.faults["nodepools"] = no_pools
        self.inventory = Inventory(nodes.kinds, tuple(pools.by_name.values()), nodes.by_name)

    def namespace(self, _name: str) -> None:
        """Returns None: a namespace is read when a pod is in it."""

    async def fetch_namespace(self, name: str) -> Namespace | Unknown:
        """Asks the API server for one namespace."""
        try:
            found = await read_namespace(self._api, self._rules, name)
        except KubeError as fault:
            self.faults[f"namespaces/{name}"] = fault
            return unknown_namespace(name, fault)
        self.namespaces_read += 1
        return found

    async def _fill(self, store: Store[_T], path: str, kind: type[_T]) -> KubeError | None:
        try:
            objects, _ = await list_all(self._api, path, pages_of(kind))
        except KubeError as fault:
            return fault
        store.replace(objects)
        return None
