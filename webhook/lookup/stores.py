"""What is kept of the API server's objects: the few fields that a look-up needs, shared between equal objects."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from sys import intern

import msgspec

from webhook.lookup.facts import Namespace, PodSecurity
from webhook.lookup.inventory import HOSTNAME, NodeKind, NodePool
from webhook.lookup.selectors import Requirement, Taint
from webhook.lookup.watching import Metadata, Named

_ENFORCE = "pod-security.kubernetes.io/enforce"
_LEVELS = {level.value: level for level in PodSecurity}
# Labels that tell one node from another, and nothing that a pod selects by.
_UNIQUE = frozenset({HOSTNAME, "alpha.eksctl.io/instance-id", "nvidia.com/gfd.timestamp"})
_UNIQUE_PREFIX = "topology.k8s.aws/network-node-layer-"
# Taints that come and go with a node's state, so they say nothing of which pods it is for.
_PASSING = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "karpenter.sh/", "ToBeDeletedByCluster")
_PASSING_END = "/agent-not-ready"
_OWN_RESOURCES = ("kubernetes.io/", "attachable-volumes-")


class NamespaceRules(msgspec.Struct, frozen=True, kw_only=True):
    """How a namespace's labels are read: fastload's prefix, and the cluster's own default of Pod Security."""

    prefix: str = "fastload.dev"
    pod_security: PodSecurity = PodSecurity.PRIVILEGED

    def read(self, name: str, labels: Mapping[str, str]) -> Namespace:
        """Reads a namespace; Pod Security admission enforces a level that does not exist as the strictest."""
        level = labels.get(_ENFORCE)
        return Namespace(
            name=name,
            opted_in=labels.get(f"{self.prefix}/inject") == "enabled",
            pod_security=_LEVELS.get(level, PodSecurity.RESTRICTED) if level else self.pod_security,
        )


class TaintView(msgspec.Struct, frozen=True, kw_only=True):
    """A taint as the API has it."""

    key: str = ""
    value: str | None = None
    effect: str = ""

    def lasting(self) -> bool:
        """Tells whether the taint is there to stay."""
        return not (self.key.startswith(_PASSING) or self.key.endswith(_PASSING_END))


class NodeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a node's specification."""

    taints: list[TaintView] | None = None


class NodeStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a node's status."""

    allocatable: dict[str, str | int] | None = None


class NodeView(Named, frozen=True, kw_only=True):
    """A node as the API has it."""

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class RequirementView(msgspec.Struct, frozen=True, kw_only=True):
    """A NodePool's requirement as the API has it."""

    key: str
    operator: str
    values: list[str] | None = None


class TemplateSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a NodePool's template."""

    requirements: list[RequirementView] | None = None
    taints: list[TaintView] | None = None


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """The template of a NodePool's nodes."""

    metadata: Metadata = Metadata()
    spec: TemplateSpec = TemplateSpec()


class PoolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a NodePool's specification."""

    template: Template = Template()


class PoolView(Named, frozen=True, kw_only=True):
    """A NodePool (karpenter.sh/v1) as the API has it."""

    spec: PoolSpec = PoolSpec()


class Namespaces:
    """Namespaces by name, as far as their labels matter."""

    def __init__(self, rules: NamespaceRules) -> None:
        self.by_name: dict[str, Namespace] = {}
        self._rules = rules

    def replace(self, objects: Iterable[Named]) -> None:
        """Keeps these and no others."""
        self.by_name = {each.metadata.name: self._read(each) for each in objects}

    def put(self, found: Named) -> None:
        """Keeps a new or changed namespace."""
        self.by_name[found.metadata.name] = self._read(found)

    def remove(self, name: str) -> None:
        """Forgets a namespace."""
        self.by_name.pop(name, None)

    def _read(self, found: Named) -> Namespace:
        return self._rules.read(found.metadata.name, found.metadata.labels or {})


class Nodes:
    """Nodes by name, and the kinds they are of; `revision` grows when a kind comes or goes."""

    def __init__(self) -> None:
        self.by_name: dict[str, NodeKind] = {}
        self.revision = 0
        self._kinds: dict[Hashable, NodeKind] = {}
        self._counts: Counter[Hashable] = Counter()

    @property
    def kinds(self) -> tuple[NodeKind, ...]:
        """The distinct kinds of node there are."""
        return tuple(self._kinds.values())

    def replace(self, objects: Iterable[NodeView]) -> None:
        """Keeps these and no others."""
        found = {each.metadata.name: each for each in objects}
        for name in self.by_name.keys() - found.keys():
            self.remove(name)
        for each in found.values():
            self.put(each)

    def put(self, found: NodeView) -> None:
        """Keeps a new or changed node."""
        name, kind = found.metadata.name, _kind_of(found)
        known = self._kinds.get(kind.key)
        if known is None:
            known = self._kinds[kind.key] = kind
            self.revision += 1
        elif self.by_name.get(name) is known:
            return
        self.remove(name)
        self.by_name[name] = known
        self._counts[known.key] += 1

    def remove(self, name: str) -> None:
        """Forgets a node, and its kind with the last of it."""
        kind = self.by_name.pop(name, None)
        if kind is None:
            return
        self._counts[kind.key] -= 1
        if not self._counts[kind.key]:
            del self._counts[kind.key], self._kinds[kind.key]
            self.revision += 1


class Pools:
    """NodePools by name; `revision` grows when one changes in what it may start."""

    def __init__(self) -> None:
        self.by_name: dict[str, NodePool] = {}
        self.revision = 0

    def replace(self, objects: Iterable[PoolView]) -> None:
        """Keeps these and no others."""
        self._keep({each.metadata.name: _pool_of(each) for each in objects})

    def put(self, found: PoolView) -> None:
        """Keeps a new or changed NodePool."""
        self._keep({**self.by_name, found.metadata.name: _pool_of(found)})

    def remove(self, name: str) -> None:
        """Forgets a NodePool."""
        self._keep({known: pool for known, pool in self.by_name.items() if known != name})

    def _keep(self, pools: dict[str, NodePool]) -> None:
        if pools != self.by_name:
            self.by_name = pools
            self.revision += 1


def _kind_of(node: NodeView) -> NodeKind:
    """Reads a node as its kind. Strings are shared, since thousands of nodes have the same."""
    labels = {
        intern(key): intern(value)
        for key, value in sorted((node.metadata.labels or {}).items())
        if key not in _UNIQUE and not key.startswith(_UNIQUE_PREFIX)
    }
    devices = {
        intern(name): int(amount)
        for name, amount in sorted((node.status.allocatable or {}).items())
        if "/" in name and not name.startswith(_OWN_RESOURCES) and str(amount).isdecimal()
    }
    return NodeKind(labels, tuple(sorted(_taints(node.spec.taints))), devices)


def _pool_of(pool: PoolView) -> NodePool:
    template = pool.spec.template
    labels = tuple(Requirement(key, "In", (value,)) for key, value in (template.metadata.labels or {}).items())
    asked = (
        Requirement(each.key, each.operator, tuple(each.values or ())) for each in template.spec.requirements or ()
    )
    return NodePool(pool.metadata.name, (*labels, *asked), _taints(template.spec.taints))


def _taints(taints: Iterable[TaintView] | None) -> tuple[Taint, ...]:
    return tuple(Taint(each.key, each.value or "", each.effect) for each in taints or () if each.lasting())
