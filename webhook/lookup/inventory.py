"""What the cluster has to offer: kinds of node, and the NodePools that can make new ones. Pure.

A review needs the kinds of node only, so nodes that differ in nothing a selector can see are one kind: thousands of
nodes become a handful, and a kind outlives the coming and going of its nodes.
"""

from collections.abc import Hashable, Mapping
from types import MappingProxyType

import msgspec

from webhook.lookup.labels import INSTANCE_TYPE, JUDGED, REGION
from webhook.lookup.selectors import Requirement, Taint

HOSTNAME = "kubernetes.io/hostname"


class NodeKind(msgspec.Struct, frozen=True):
    """A node but for its name: labels, lasting taints, and what it can allocate of each device, each sorted by name."""

    labels: Mapping[str, str]
    taints: tuple[Taint, ...] = ()
    devices: Mapping[str, int] = MappingProxyType({})

    @property
    def key(self) -> Hashable:
        """What makes two nodes the same kind."""
        return (tuple(self.labels.items()), self.taints, tuple(self.devices.items()))

    @property
    def instance_type(self) -> str | None:
        """The node's instance type, as its labels say."""
        return next((self.labels[key] for key in sorted(INSTANCE_TYPE) if key in self.labels), None)

    @property
    def region(self) -> str | None:
        """The node's region, as its labels say."""
        return next((self.labels[key] for key in REGION if key in self.labels), None)


class NodePool(msgspec.Struct, frozen=True):
    """A Karpenter NodePool: what its nodes will be like. Its template's labels are requirements like the others."""

    name: str
    requirements: tuple[Requirement, ...]
    taints: tuple[Taint, ...] = ()

    @property
    def judged(self) -> tuple[Requirement, ...]:
        """The requirements that an instance type meets or not."""
        return tuple(each for each in self.requirements if each.key in JUDGED)


class Inventory(msgspec.Struct, frozen=True):
    """The cluster's nodes and NodePools at one moment.

    `kinds` and `pools` never change; `names` follows the cluster.
    """

    kinds: tuple[NodeKind, ...] = ()
    pools: tuple[NodePool, ...] = ()
    names: Mapping[str, NodeKind] = MappingProxyType({})
