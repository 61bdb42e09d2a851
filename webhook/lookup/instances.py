"""Which instance types may a pod land on? A pure function of the pod, the catalogue and the cluster's inventory.

The type is seldom known before a pod is scheduled, so the answer is a set, to be judged by its worst. It is taken from
the first of these that says anything:

1. the annotation, or a preview's flag in its place;
2. the node that the pod names;
3. instance types named by the node selector or by every term of the required node affinity;
4. the cluster: types that matching Karpenter NodePools may start, and types of live nodes that the pod fits;
5. the catalogue, narrowed by the labels that follow from a type (architecture, Karpenter's, the GPU's) and by the
   accelerators the pod asks for.

A label that does not follow from a type (a node group's, a team's own) narrows nodes and NodePools, not the catalogue.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import msgspec

from webhook.lookup.catalogue import Catalogue
from webhook.lookup.devices import Demand
from webhook.lookup.facts import Candidates, InstanceType, Source
from webhook.lookup.inventory import HOSTNAME, Inventory, NodeKind, NodePool
from webhook.lookup.labels import INSTANCE_TYPE, JUDGED, REGION, all_may_hold
from webhook.lookup.selectors import NODE_NAME_FIELD, Requirement, Term, all_hold, alternatives, holds, tolerates
from webhook.pod.facts import Placement, PodFacts

_NODE_POOL = "karpenter.sh/nodepool"
# What a pod names a node by.
_NODE_NAMES = (HOSTNAME, NODE_NAME_FIELD)
# What stands for the name of any node that a pod does not name.
_SOME_NODE = dict.fromkeys(_NODE_NAMES, "")
# Labels that a NodePool need not mention to give its nodes one that the pod asks for (Karpenter, 'well-known labels').
_WELL_KNOWN = (
    "topology.",
    "karpenter.sh/capacity-type",
    "karpenter.k8s.aws/",
    "eks.amazonaws.com/instance-",
    "eks.amazonaws.com/compute-type",
    HOSTNAME,
)


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """What a pod asks of its node.

    `certain` is False where the pod's resources name no accelerator, so the demand is the engine's parallelism instead;
    it then gives way where nothing can meet it, as for an engine that runs on a CPU. `unasked` is True where no
    container asks for any, nor for a claim that may bring one.
    """

    placement: Placement = Placement()
    # Instance types told outright, and by what.
    told: tuple[str, ...] = ()
    told_by: Source = Source.ANNOTATION
    demand: Demand = Demand()
    certain: bool = True
    unasked: bool = False


def ask_of(facts: PodFacts) -> Ask:
    """Reads what a pod asks of its node: accelerators as its resources say, else as its engine's parallelism needs.

    All containers of the pod land on one node, so theirs count together.
    """
    own = facts.container.gpus if facts.container else None
    devices = max(own or 0, facts.placement.gpus or 0)
    resource = facts.container.gpu_resource if facts.container else None
    return Ask(
        placement=facts.placement,
        told=facts.annotations.instance_types,
        demand=Demand(devices or _ranks_on_a_node(facts), resource),
        certain=bool(devices),
        unasked=own == 0 and facts.placement.gpus == 0,
    )


def candidates(ask: Ask, catalogue: Catalogue, inventory: Inventory) -> Candidates:
    """Returns the instance types that a pod may land on, by name in order, and how they were found.

    Adding a constraint to the pod never adds a type, as long as the answer comes from the same source.
    """
    if ask.placement.fargate:
        return Candidates(types=(), source=Source.CATALOGUE, fargate=True)
    search = _Search(ask, catalogue, inventory, alternatives(ask.placement))
    nodes = search.fitting_nodes()
    regions = frozenset(kind.region for kind in nodes or inventory.kinds if kind.region)
    return msgspec.structs.replace(search.find(nodes), regions=_regions_asked(ask.placement) or regions)


class _Search(msgspec.Struct, frozen=True):
    """One pod's question, and where to look for the answer."""

    ask: Ask
    catalogue: Catalogue
    inventory: Inventory
    # Terms of which a node must satisfy one.
    terms: tuple[Term, ...]

    def find(self, nodes: Sequence[NodeKind]) -> Candidates:
        """Goes through the sources in their order; `nodes` are the live ones that the pod fits."""
        if self.ask.told:
            return self._by_name(self.ask.told, self.ask.told_by)
        node = self.inventory.names.get(self.ask.placement.node_name or "")
        if node is not None and node.instance_type:
            return self._by_name([node.instance_type], Source.NODE_NAME)
        if self.terms and all(_types_named(term) for term in self.terms):
            return self._named_types()
        return self._from_cluster(nodes) or self._from_catalogue()

    def fitting_nodes(self) -> list[NodeKind]:
        """Returns the kinds of live node that the pod fits: labels, taints, and accelerators in all, taken or free."""
        return [
            kind
            for term in self.terms
            for kind, labels in self._nodes(term)
            if all_hold(term, labels)
            and tolerates(self.ask.placement, kind.taints, self.ask.demand.resource)
            and self._has_devices(kind)
        ]

    def _nodes(self, term: Term) -> Iterable[tuple[NodeKind, Mapping[str, str]]]:
        """Yields the kinds of node with their labels; each node by itself where the term asks for one by name.

        A term that keeps off a node does not keep off its kind, of which there are others, or may be at any time.
        """
        named = nodes_named(term)
        if not named:
            about_names = any(each.key in _NODE_NAMES for each in term)
            yield from (
                (kind, {**kind.labels, **_SOME_NODE} if about_names else kind.labels) for kind in self.inventory.kinds
            )
        for name in named:
            kind = self.inventory.names.get(name)
            if kind is not None:
                yield kind, {**kind.labels, HOSTNAME: name, NODE_NAME_FIELD: name}

    def _has_devices(self, node: NodeKind) -> bool:
        """Tells whether a node has the accelerators; one that hands them out by other means is judged by its type."""
        demand = self.ask.demand
        offered = demand.offered_by(node.devices)
        if offered or self.ask.certain:
            return offered >= demand.count
        kind = self.catalogue.get(node.instance_type or "")
        return kind is not None and demand.met_by_type(kind)

    def _by_name(self, names: Iterable[str], source: Source) -> Candidates:
        """Looks names up; where the catalogue lacks one, the worst case is unknown, so no type is given."""
        distinct = sorted(set(names))
        missing = tuple(name for name in distinct if name not in self.catalogue)
        types = () if missing else tuple(self.catalogue[name] for name in distinct)
        return Candidates(types=types, source=source, missing=missing)

    def _named_types(self) -> Candidates:
        """Returns the types that the pod names, less those its other constraints exclude."""
        names = {name for term in self.terms for name in _types_named(term) if _name_stands(name, term)}
        by_selector = INSTANCE_TYPE & self.ask.placement.node_selector.keys()
        found = self._by_name(names, Source.NODE_SELECTOR if by_selector else Source.NODE_AFFINITY)
        demand = self.ask.demand if self.ask.certain else Demand(0)
        return msgspec.structs.replace(found, types=_matching(found.types, self.terms, demand))

    def _from_cluster(self, nodes: Sequence[NodeKind]) -> Candidates | None:
        """Returns the types that the cluster has or may start for the pod; None where it shows nothing."""
        live = {kind.instance_type for kind in nodes}
        if None in live:  # a node that is not EC2's, whose figures nobody knows
            return Candidates(types=(), source=Source.NODES)
        started = self._started_by_pools()
        if started or live:
            names = started | {name for name in live if name}
            return self._by_name(names, Source.NODE_POOLS if started else Source.NODES)
        pools = {pool.name for pool in self.inventory.pools}
        if self.terms and all(_pools_named(term) & pools for term in self.terms):  # its own NodePool cannot serve it
            return Candidates(types=(), source=Source.NODE_POOLS)
        return None

    def _from_catalogue(self) -> Candidates:
        """Returns the types that the pod's labels and devices allow; none where it has neither: any type would do."""
        if any(each.key in JUDGED for each in chain(*self.terms)):
            return Candidates(types=self._narrowed(self.terms), source=Source.KARPENTER)
        return Candidates(types=() if self.ask.unasked else self._narrowed(self.terms), source=Source.CATALOGUE)

    def _started_by_pools(self) -> set[str]:
        """Returns the types that NodePools may start for the pod.

        There may be hundreds of them, one a team; those that say the same of a type are judged as one.
        """
        alike: dict[tuple[Term, ...], set[Term]] = {}
        for pool in self.inventory.pools:
            if tolerates(self.ask.placement, pool.taints, self.ask.demand.resource):
                served = tuple(term for term in self.terms if all(_may_serve(pool, each) for each in term))
                alike.setdefault(served, set()).add(pool.judged)
        return {
            kind.name
            for terms, said in alike.items()
            for kind in self._narrowed(terms)
            if any(all_may_hold(requirements, kind) for requirements in said)
        }

    def _narrowed(self, terms: Sequence[Term]) -> tuple[InstanceType, ...]:
        """Returns the catalogue's types that the terms and the demand allow."""
        demand = self.ask.demand
        counts = (demand.count,) if self.ask.certain else (demand.count, 1, 0)
        for count in counts:
            if found := _matching(self.catalogue.types, terms, Demand(count, demand.resource)):
                return found
        return ()


def _matching(kinds: Iterable[InstanceType], terms: Sequence[Term], demand: Demand) -> tuple[InstanceType, ...]:
    return tuple(kind for kind in kinds if demand.met_by_type(kind) and any(all_may_hold(term, kind) for term in terms))


def _may_serve(pool: NodePool, wanted: Requirement) -> bool:
    """Tells whether a NodePool's nodes may satisfy a requirement on a label that does not follow from their type."""
    if wanted.key in JUDGED:
        return True
    if wanted.key == _NODE_POOL:
        return holds(wanted, {_NODE_POOL: pool.name})
    own = [each for each in pool.requirements if each.key == wanted.key]
    given = [each.values for each in own if each.operator == "In"]
    if given:
        return any(holds(wanted, {wanted.key: value}) for value in given[0])
    if own or wanted.key.startswith(_WELL_KNOWN):
        return wanted.operator != "DoesNotExist"
    return holds(wanted, {})


def _types_named(term: Term) -> set[str]:
    """Returns the instance types that a term names."""
    return {name for each in term if each.key in INSTANCE_TYPE and each.operator == "In" for name in each.values}


def _name_stands(name: str, term: Term) -> bool:
    """Tells whether a term lets an instance type stand, by its name alone."""
    return all(holds(each, {each.key: name}) for each in term if each.key in INSTANCE_TYPE)


def nodes_named(term: Term) -> set[str]:
    """Returns the nodes that a term names; none where it does not say which."""
    return {name for each in term if each.key in _NODE_NAMES and each.operator == "In" for name in each.values}


def _pools_named(term: Term) -> set[str]:
    return {name for each in term if each.key == _NODE_POOL and each.operator == "In" for name in each.values}


def _regions_asked(placement: Placement) -> frozenset[str]:
    return frozenset(placement.node_selector[key] for key in REGION if key in placement.node_selector)


def _ranks_on_a_node(facts: PodFacts) -> int:
    """Returns the GPUs that the engine's parallelism needs on one node, at least one."""
    launch = facts.launch
    if launch is None:
        return 1
    ranks = (launch.tensor_parallel_size or 1) * (launch.pipeline_parallel_size or 1)
    return max(1, -(-ranks // max(launch.nodes or 1, 1)))
