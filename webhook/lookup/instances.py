"""Which instance types may a pod land on? A pure function of the pod, the catalogue and the cluster's inventory.

The type is seldom known before a pod is scheduled, so the answer is a set, to be judged by its worst. It is taken from
the first of these that says anything:

1. the annotation;
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
from webhook.lookup.facts import Candidates, InstanceType, Source
from webhook.lookup.inventory import HOSTNAME, Inventory, NodeKind, NodePool
from webhook.lookup.labels import INSTANCE_TYPE, JUDGED, REGION, all_may_hold
from webhook.lookup.selectors import NODE_NAME_FIELD, Requirement, Term, all_hold, alternatives, holds, tolerates
from webhook.pod.facts import Placement, PodFacts

_NODE_POOL = "karpenter.sh/nodepool"
# A device plugin's resource for whole devices, and whose devices it hands out. Any other resource of a vendor's (a MIG
# slice, a shared GPU, a Neuron core) is a part of one.
_WHOLE_DEVICES = {
    "nvidia.com/gpu": "nvidia",
    "amd.com/gpu": "amd",
    "aws.amazon.com/neuron": "aws",
    "aws.amazon.com/neurondevice": "aws",
    "habana.ai/gaudi": "habana",
}
_MAKERS = {"nvidia.com": "nvidia", "amd.com": "amd", "aws.amazon.com": "aws", "habana.ai": "habana"}
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

    `certain` is False where the pod's resources name no accelerator, so `devices` is the engine's parallelism instead;
    it then gives way where nothing can meet it, as for an engine that runs on a CPU.
    """

    placement: Placement = Placement()
    annotated: tuple[str, ...] = ()
    devices: int = 1
    resource: str | None = None
    certain: bool = True


def ask_of(facts: PodFacts) -> Ask:
    """Reads what a pod asks of its node: accelerators as its resources say, else as its engine's parallelism needs."""
    devices = facts.container.gpus if facts.container else facts.placement.gpus
    return Ask(
        placement=facts.placement,
        annotated=facts.annotations.instance_types,
        devices=devices or _ranks_on_a_node(facts),
        resource=facts.container.gpu_resource if facts.container else None,
        certain=bool(devices),
    )


def candidates(ask: Ask, catalogue: Catalogue, inventory: Inventory) -> Candidates:
    """Returns the instance types that a pod may land on, by name in order, and how they were found.

    Adding a constraint to the pod never adds a type, as long as the answer comes from the same source.
    """
    if ask.placement.fargate:
        return Candidates(types=(), source=Source.CATALOGUE, fargate=True)
    nodes = _fitting_nodes(ask, catalogue, inventory)
    regions = frozenset(kind.region for kind in nodes or inventory.kinds if kind.region)
    found = _find(ask, catalogue, inventory, nodes)
    return msgspec.structs.replace(found, regions=_regions_asked(ask.placement) or regions)


def _find(ask: Ask, catalogue: Catalogue, inventory: Inventory, nodes: Sequence[NodeKind]) -> Candidates:
    if ask.annotated:
        return _by_name(ask.annotated, catalogue, Source.ANNOTATION)
    node = inventory.names.get(ask.placement.node_name or "")
    if node is not None and node.instance_type:
        return _by_name([node.instance_type], catalogue, Source.NODE_NAME)
    terms = alternatives(ask.placement)
    if terms and all(_types_named(term) for term in terms):
        return _named_types(ask, terms, catalogue)
    return _from_cluster(ask, terms, catalogue, (inventory, nodes)) or Candidates(
        types=_narrowed(ask, terms, catalogue),
        source=Source.KARPENTER if any(each.key in JUDGED for each in chain(*terms)) else Source.CATALOGUE,
    )


def _by_name(names: Iterable[str], catalogue: Catalogue, source: Source) -> Candidates:
    """Looks names up; where the catalogue lacks one, the worst case is unknown, so no type is given."""
    distinct = sorted(set(names))
    missing = tuple(name for name in distinct if name not in catalogue)
    types = () if missing else tuple(catalogue[name] for name in distinct)
    return Candidates(types=types, source=source, missing=missing)


def _named_types(ask: Ask, terms: Sequence[Term], catalogue: Catalogue) -> Candidates:
    """Returns the types that the pod names, less those its other constraints exclude."""
    names = {name for term in terms for name in _types_named(term) if _name_stands(name, term)}
    source = Source.NODE_SELECTOR if INSTANCE_TYPE & ask.placement.node_selector.keys() else Source.NODE_AFFINITY
    if any(name not in catalogue for name in names):
        return _by_name(names, catalogue, source)
    kinds = [catalogue[name] for name in sorted(names)]
    devices = ask.devices if ask.certain else 0
    return Candidates(types=_matching(kinds, terms, (ask.resource, devices)), source=source)


def _from_cluster(
    ask: Ask, terms: Sequence[Term], catalogue: Catalogue, cluster: tuple[Inventory, Sequence[NodeKind]]
) -> Candidates | None:
    """Returns the types that the cluster has or may start for the pod; None where it shows nothing."""
    inventory, nodes = cluster
    pools = [pool for pool in inventory.pools if tolerates(ask.placement, pool.taints, ask.resource)]
    started = {kind.name for pool in pools for kind in _pool_types(pool, ask, terms, catalogue)}
    live = {kind.instance_type for kind in nodes}
    if None in live:  # a node that is not EC2's, whose figures nobody knows
        return Candidates(types=(), source=Source.NODES)
    source = Source.NODE_POOLS if started else Source.NODES
    if started or live:
        return _by_name(started | {name for name in live if name}, catalogue, source)
    known_pools = {pool.name for pool in inventory.pools}
    if terms and all(_pools_named(term) & known_pools for term in terms):  # it names a NodePool that cannot serve it
        return Candidates(types=(), source=Source.NODE_POOLS)
    return None


def _narrowed(ask: Ask, terms: Sequence[Term], catalogue: Catalogue) -> tuple[InstanceType, ...]:
    """Returns the catalogue's types that the pod's constraints allow."""
    for devices in (ask.devices,) if ask.certain else (ask.devices, 1, 0):
        if found := _matching(catalogue.types, terms, (ask.resource, devices)):
            return found
    return ()


def _matching(
    kinds: Iterable[InstanceType], terms: Sequence[Term], devices: tuple[str | None, int]
) -> tuple[InstanceType, ...]:
    return tuple(
        kind for kind in kinds if _has_devices(kind, *devices) and any(all_may_hold(term, kind) for term in terms)
    )


def _has_devices(kind: InstanceType, resource: str | None, count: int) -> bool:
    """Tells whether a type has the accelerators: GPUs by NVIDIA where the pod does not say whose."""
    if not count:
        return True
    if resource is None or resource in _WHOLE_DEVICES:
        return kind.accelerator == _WHOLE_DEVICES.get(resource or "nvidia.com/gpu") and kind.gpus >= count
    return kind.accelerator == _MAKERS.get(resource.partition("/")[0], "nvidia") and kind.gpus >= 1


def _pool_types(pool: NodePool, ask: Ask, terms: Sequence[Term], catalogue: Catalogue) -> list[InstanceType]:
    """Returns the types that a NodePool may start for the pod."""
    served = [term for term in terms if all(_pool_may_serve(pool, requirement) for requirement in term)]
    return [kind for kind in _narrowed(ask, served, catalogue) if all_may_hold(pool.requirements, kind)]


def _pool_may_serve(pool: NodePool, wanted: Requirement) -> bool:
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


def _fitting_nodes(ask: Ask, catalogue: Catalogue, inventory: Inventory) -> list[NodeKind]:
    """Returns the kinds of live node that the pod fits: labels, taints, and accelerators in all, taken or free."""
    terms = alternatives(ask.placement)
    if any(each.key in (HOSTNAME, NODE_NAME_FIELD) for each in chain(*terms)):
        nodes = ((kind, _with_name(kind, name)) for name, kind in inventory.names.items())
    else:
        nodes = ((kind, kind.labels) for kind in inventory.kinds)
    return [
        kind
        for kind, labels in nodes
        if any(all_hold(term, labels) for term in terms)
        and tolerates(ask.placement, kind.taints, ask.resource)
        and _node_has_devices(kind, ask, catalogue)
    ]


def _with_name(kind: NodeKind, name: str) -> Mapping[str, str]:
    return {**kind.labels, HOSTNAME: name, NODE_NAME_FIELD: name}


def _node_has_devices(node: NodeKind, ask: Ask, catalogue: Catalogue) -> bool:
    """Tells whether a node has the accelerators; one that hands them out by other means is judged by its type."""
    offered = node.devices.get(ask.resource, 0) if ask.resource else max(node.devices.values(), default=0)
    if offered or ask.certain:
        return offered >= ask.devices
    kind = catalogue.get(node.instance_type or "")
    return kind is not None and kind.gpus >= ask.devices


def _types_named(term: Term) -> set[str]:
    """Returns the instance types that a term names."""
    return {name for each in term if each.key in INSTANCE_TYPE and each.operator == "In" for name in each.values}


def _name_stands(name: str, term: Term) -> bool:
    """Tells whether a term lets an instance type stand, by its name alone."""
    return all(holds(each, {each.key: name}) for each in term if each.key in INSTANCE_TYPE)


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
