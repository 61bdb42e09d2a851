"""Which instance types a pod may land on, by each way of telling it."""

from collections.abc import Mapping
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lookup.make import container, facts, term
from webhook.lookup.catalogue import Catalogue, load_catalogue
from webhook.lookup.devices import Demand
from webhook.lookup.facts import Candidates, Source
from webhook.lookup.instances import Ask, ask_of, candidates
from webhook.lookup.inventory import Inventory, NodeKind, NodePool
from webhook.lookup.labels import JUDGED
from webhook.lookup.selectors import Requirement, Taint
from webhook.pod.facts import Annotations, Engine, Launch, Placement
from webhook.pod.view import NodeSelectorRequirement, NodeSelectorTerm

TYPE = "node.kubernetes.io/instance-type"
KARPENTER = "karpenter.k8s.aws/instance-"
GPU = "nvidia.com/gpu"
NOTHING = Inventory()


def names(found: Candidates) -> set[str]:
    return {kind.name for kind in found.types}


def ask(
    selector: Mapping[str, str] | None = None,
    *terms: NodeSelectorTerm,
    devices: int = 8,
    resource: str | None = GPU,
    tolerations: tuple[tuple[str | None, str | None, str | None, str | None], ...] = (),
) -> Ask:
    placement = Placement(node_selector=selector or {}, terms=terms, tolerations=tolerations)
    return Ask(placement=placement, demand=Demand(devices, resource))


def node(name: str, labels: Mapping[str, str] | None = None, gpus: int = 8, taints: tuple[Taint, ...] = ()) -> NodeKind:
    return NodeKind({TYPE: name, "topology.kubernetes.io/region": "us-west-2", **(labels or {})}, taints, {GPU: gpus})


def pool(name: str, *requirements: tuple[str, ...], taints: tuple[Taint, ...] = ()) -> NodePool:
    return NodePool(name, tuple(Requirement(key, op, tuple(values)) for key, op, *values in requirements), taints)


class TestNamed:
    """The pod names its instance types, in one way or another."""

    def test_annotation_wins_over_everything(self, catalogue: Catalogue) -> None:
        asked = Ask(
            placement=Placement(node_selector={TYPE: "g5.xlarge"}, node_name="node-1"),
            told=("p5.48xlarge", "g6e.48xlarge", "p5.48xlarge"),
        )
        found = candidates(asked, catalogue, Inventory(names={"node-1": node("g5.xlarge")}))
        assert [kind.name for kind in found.types] == ["g6e.48xlarge", "p5.48xlarge"]
        assert found.source is Source.ANNOTATION

    def test_an_annotated_type_that_nobody_knows_leaves_the_worst_case_unknown(self, catalogue: Catalogue) -> None:
        found = candidates(Ask(told=("p5.48xlarge", "p9.48xlarge")), catalogue, NOTHING)
        assert (found.types, found.missing, found.source) == ((), ("p9.48xlarge",), Source.ANNOTATION)

    def test_the_node_named(self, catalogue: Catalogue) -> None:
        asked = Ask(placement=Placement(node_name="node-1", node_selector={TYPE: "g5.xlarge"}))
        found = candidates(asked, catalogue, Inventory(names={"node-1": node("p5.48xlarge")}))
        assert (names(found), found.source) == ({"p5.48xlarge"}, Source.NODE_NAME)

    def test_a_node_that_is_not_known_says_nothing(self, catalogue: Catalogue) -> None:
        asked = Ask(placement=Placement(node_name="node-2", node_selector={TYPE: "p5.48xlarge"}))
        assert candidates(asked, catalogue, NOTHING).source is Source.NODE_SELECTOR

    @pytest.mark.parametrize("key", [TYPE, "beta.kubernetes.io/instance-type"])
    def test_node_selector(self, catalogue: Catalogue, key: str) -> None:
        found = candidates(ask({key: "p5.48xlarge"}), catalogue, NOTHING)
        assert (names(found), found.source) == ({"p5.48xlarge"}, Source.NODE_SELECTOR)

    def test_node_affinity(self, catalogue: Catalogue) -> None:
        found = candidates(ask({}, term((TYPE, "In", "p5.48xlarge", "p5en.48xlarge"))), catalogue, NOTHING)
        assert (names(found), found.source) == ({"p5.48xlarge", "p5en.48xlarge"}, Source.NODE_AFFINITY)

    def test_terms_are_alternatives(self, catalogue: Catalogue) -> None:
        asked = ask({}, term((TYPE, "In", "p5.48xlarge")), term((TYPE, "In", "g6e.48xlarge"), ("zone", "Exists")))
        assert names(candidates(asked, catalogue, NOTHING)) == {"p5.48xlarge", "g6e.48xlarge"}

    def test_other_constraints_narrow_the_names(self, catalogue: Catalogue) -> None:
        asked = ask({}, term((TYPE, "In", "p5.48xlarge", "g6e.48xlarge"), (f"{KARPENTER}category", "NotIn", "g")))
        assert names(candidates(asked, catalogue, NOTHING)) == {"p5.48xlarge"}

    def test_a_named_type_with_too_few_gpus_cannot_take_the_pod(self, catalogue: Catalogue) -> None:
        asked = ask({}, term((TYPE, "In", "p5.48xlarge", "g5.xlarge")))
        assert names(candidates(asked, catalogue, NOTHING)) == {"p5.48xlarge"}

    def test_a_cpu_type_may_be_named_by_a_pod_that_asks_for_no_gpu(self, catalogue: Catalogue) -> None:
        asked = Ask(placement=Placement(node_selector={TYPE: "m7i.4xlarge"}), certain=False)
        assert names(candidates(asked, catalogue, NOTHING)) == {"m7i.4xlarge"}

    def test_constraints_that_contradict_each_other_leave_no_type(self, catalogue: Catalogue) -> None:
        found = candidates(ask({TYPE: "p5.48xlarge"}, term((TYPE, "NotIn", "p5.48xlarge"))), catalogue, NOTHING)
        assert (found.types, found.missing, found.source) == ((), (), Source.NODE_SELECTOR)

    def test_a_selected_type_that_nobody_knows_is_told(self, catalogue: Catalogue) -> None:
        found = candidates(ask({TYPE: "p9.48xlarge"}), catalogue, NOTHING)
        assert (found.types, found.missing) == ((), ("p9.48xlarge",))

    def test_fargate(self, catalogue: Catalogue) -> None:
        found = candidates(Ask(placement=Placement(fargate=True)), catalogue, NOTHING)
        assert found.fargate
        assert found.types == ()


class TestLabels:
    """Labels that follow from a type narrow the catalogue."""

    @pytest.mark.parametrize(
        ("expressions", "expected"),
        [
            ([(f"{KARPENTER}family", "In", "p5", "p5en")], {"p5.48xlarge", "p5en.48xlarge"}),
            ([("eks.amazonaws.com/instance-family", "In", "p5")], {"p5.48xlarge"}),
            ([(f"{KARPENTER}gpu-name", "In", "h200")], {"p5e.48xlarge", "p5en.48xlarge"}),
            ([(f"{KARPENTER}gpu-memory", "Gt", "150000")], {"p6-b200.48xlarge", "p6-b300.48xlarge"}),
            ([(f"{KARPENTER}category", "In", "p"), (f"{KARPENTER}generation", "Lt", "4")], {"p3dn.24xlarge"}),
            (
                [(f"{KARPENTER}network-bandwidth", "Gt", "400000"), (f"{KARPENTER}generation", "Lte", "5")],
                {"p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge"},
            ),
            ([(f"{KARPENTER}local-nvme", "DoesNotExist"), (f"{KARPENTER}gpu-manufacturer", "Exists")], set()),
            ([("nvidia.com/gpu.product", "In", "NVIDIA-H100-80GB-HBM3")], {"p5.48xlarge"}),
            ([(f"{KARPENTER}size", "In", "metal"), (f"{KARPENTER}cpu", "Gt", "90")], {"g4dn.metal"}),
            ([(f"{KARPENTER}category", "In", "g"), (f"{KARPENTER}memory", "Lt", "500000")], {"g4dn.metal"}),
            ([("kubernetes.io/arch", "In", "arm64")], set()),
            ([("kubernetes.io/os", "In", "windows")], set()),
        ],
        ids=lambda value: value[0][0].rpartition("/")[2] if isinstance(value, list) else "",
    )
    def test_narrowed(self, catalogue: Catalogue, expressions: list[tuple[str, ...]], expected: set[str]) -> None:
        found = candidates(ask({}, term(*expressions)), catalogue, NOTHING)
        assert (names(found), found.source) == (expected, Source.KARPENTER)

    def test_a_label_that_does_not_follow_from_a_type_narrows_nothing(self, catalogue: Catalogue) -> None:
        found = candidates(ask({"nodegroup-type": "p5-gpu-workers"}), catalogue, NOTHING)
        assert found.source is Source.CATALOGUE
        assert found.types == candidates(ask(), catalogue, NOTHING).types

    def test_nothing_known_means_every_type_with_the_gpus_asked_for(self, catalogue: Catalogue) -> None:
        found = candidates(ask(devices=8), catalogue, NOTHING)
        assert found.source is Source.CATALOGUE
        assert {"p5.48xlarge", "g4dn.metal"} <= names(found)
        assert all(kind.gpus >= 8 and kind.accelerator == "nvidia" for kind in found.types)

    @pytest.mark.parametrize(
        ("resource", "maker"),
        [(GPU, "nvidia"), ("aws.amazon.com/neuron", "aws"), (None, "nvidia"), ("nvidia.com/mig-1g.10gb", "nvidia")],
    )
    def test_whose_devices(self, catalogue: Catalogue, resource: str | None, maker: str) -> None:
        found = candidates(ask(devices=1, resource=resource), catalogue, NOTHING)
        assert {kind.accelerator for kind in found.types} == {maker}

    def test_devices_that_no_ec2_type_has(self, catalogue: Catalogue) -> None:
        assert candidates(ask(devices=1, resource="google.com/tpu"), catalogue, NOTHING).types == ()

    def test_slices_are_parts_of_a_gpu(self, catalogue: Catalogue) -> None:
        found = candidates(ask(devices=7, resource="nvidia.com/mig-1g.10gb"), catalogue, NOTHING)
        assert "p5.4xlarge" in names(found)

    def test_a_term_without_expressions_matches_no_node(self, catalogue: Catalogue) -> None:
        assert candidates(ask({}, NodeSelectorTerm()), catalogue, NOTHING).types == ()


class TestNodes:
    """Live nodes that the pod fits."""

    def test_types_of_the_nodes_that_fit(self, catalogue: Catalogue) -> None:
        inventory = Inventory(
            kinds=(
                node("p5.48xlarge", {"nodegroup-type": "p5"}),
                node("g6e.48xlarge", {"nodegroup-type": "g6e"}),
                node("m7i.large", {"nodegroup-type": "p5"}, gpus=0),
                node("p4d.24xlarge", {"nodegroup-type": "p5"}, taints=(Taint("team", "b", "NoSchedule"),)),
            )
        )
        found = candidates(ask({"nodegroup-type": "p5"}), catalogue, inventory)
        assert (names(found), found.source) == ({"p5.48xlarge"}, Source.NODES)
        tolerant = ask({"nodegroup-type": "p5"}, tolerations=(("team", "Exists", None, None),))
        assert names(candidates(tolerant, catalogue, inventory)) == {"p5.48xlarge", "p4d.24xlarge"}

    def test_a_node_group(self, catalogue: Catalogue) -> None:
        inventory = Inventory(kinds=(node("p5.48xlarge", {"eks.amazonaws.com/nodegroup": "gpu"}), node("g6e.48xlarge")))
        found = candidates(ask({"eks.amazonaws.com/nodegroup": "gpu"}), catalogue, inventory)
        assert (names(found), found.source) == ({"p5.48xlarge"}, Source.NODES)

    def test_no_node_that_fits_leaves_the_catalogue(self, catalogue: Catalogue) -> None:
        found = candidates(ask({"nodegroup-type": "p5"}), catalogue, Inventory(kinds=(node("m7i.large", gpus=0),)))
        assert found.source is Source.CATALOGUE
        assert len(found.types) > 10

    @pytest.mark.parametrize(("by", "field"), [("kubernetes.io/hostname", False), ("metadata.name", True)])
    def test_a_node_by_its_own_name(self, catalogue: Catalogue, by: str, field: bool) -> None:  # noqa: FBT001 - a column
        kinds = {"node-1": node("p5.48xlarge"), "node-2": node("g6e.48xlarge")}
        wanted = [NodeSelectorRequirement(key=by, operator="In", values=["node-2"])]
        by_name = NodeSelectorTerm(match_fields=wanted) if field else NodeSelectorTerm(match_expressions=wanted)
        found = candidates(ask({}, by_name), catalogue, Inventory(kinds=tuple(kinds.values()), names=kinds))
        assert (names(found), found.source) == ({"g6e.48xlarge"}, Source.NODES)

    def test_a_node_by_its_own_name_or_by_what_it_is(self, catalogue: Catalogue) -> None:
        kinds = {"node-1": node("p5.48xlarge"), "node-2": node("g6e.48xlarge"), "node-3": node("p4d.24xlarge")}
        by_name = term(("kubernetes.io/hostname", "In", "node-2", "gone"))
        by_type = term((TYPE, "NotIn", "p5.48xlarge"))
        inventory = Inventory(kinds=tuple(kinds.values()), names=kinds)
        assert names(candidates(ask({}, by_name), catalogue, inventory)) == {"g6e.48xlarge"}
        assert names(candidates(ask({}, by_name, by_type), catalogue, inventory)) == {"g6e.48xlarge", "p4d.24xlarge"}

    @pytest.mark.parametrize("by", ["kubernetes.io/hostname", "metadata.name"])
    def test_to_keep_off_a_node_is_not_to_keep_off_its_kind(self, catalogue: Catalogue, by: str) -> None:
        """Others of its kind may come while the inventory stays the same object."""
        kinds = {"node-1": node("p5.48xlarge"), "node-2": node("g6e.48xlarge")}
        inventory = Inventory(kinds=tuple(kinds.values()), names=kinds)
        for words in (("NotIn", "node-1"), ("Exists",)):
            found = candidates(ask({}, term((by, *words))), catalogue, inventory)
            assert (names(found), found.source) == ({"p5.48xlarge", "g6e.48xlarge"}, Source.NODES)
        assert candidates(ask({}, term((by, "DoesNotExist"))), catalogue, inventory).source is not Source.NODES

    def test_a_node_that_is_not_ec2_leaves_the_worst_case_unknown(self, catalogue: Catalogue) -> None:
        inventory = Inventory(kinds=(NodeKind({}, (), {GPU: 8}), node("p5.48xlarge")))
        found = candidates(ask(), catalogue, inventory)
        assert (found.types, found.source) == ((), Source.NODES)

    def test_a_node_of_a_type_nobody_knows_is_told(self, catalogue: Catalogue) -> None:
        found = candidates(ask(), catalogue, Inventory(kinds=(node("p9.48xlarge"), node("p5.48xlarge"))))
        assert (found.types, found.missing) == ((), ("p9.48xlarge",))

    def test_a_node_that_hands_out_gpus_by_dynamic_allocation(self, catalogue: Catalogue) -> None:
        asked = Ask(demand=Demand(4), certain=False)
        found = candidates(asked, catalogue, Inventory(kinds=(NodeKind({TYPE: "p5.48xlarge"}),)))
        assert (names(found), found.source) == ({"p5.48xlarge"}, Source.NODES)

    def test_regions_are_those_of_the_nodes(self, catalogue: Catalogue) -> None:
        inventory = Inventory(kinds=(node("p5.48xlarge"),))
        assert candidates(ask(), catalogue, inventory).regions == {"us-west-2"}
        assert candidates(ask({TYPE: "g6e.48xlarge"}), catalogue, inventory).regions == {"us-west-2"}
        asked = ask({"topology.kubernetes.io/region": "eu-west-1"})
        assert candidates(asked, catalogue, inventory).regions == {"eu-west-1"}
        assert candidates(ask(), catalogue, NOTHING).regions == frozenset()


class TestNodePools:
    """NodePools that may start a node for the pod."""

    def test_types_that_a_pool_may_start(self, catalogue: Catalogue) -> None:
        pools = (pool("gpu", (f"{KARPENTER}family", "In", "p5", "g6e"), ("kubernetes.io/arch", "In", "amd64")),)
        found = candidates(ask(), catalogue, Inventory(pools=pools))
        assert (names(found), found.source) == ({"p5.48xlarge", "g6e.48xlarge"}, Source.NODE_POOLS)

    def test_pools_and_live_nodes_together(self, catalogue: Catalogue) -> None:
        inventory = Inventory(kinds=(node("p4d.24xlarge"),), pools=(pool("gpu", (f"{KARPENTER}family", "In", "p5")),))
        found = candidates(ask(), catalogue, inventory)
        assert (names(found), found.source) == ({"p5.48xlarge", "p4d.24xlarge"}, Source.NODE_POOLS)

    def test_the_pool_that_the_pod_names(self, catalogue: Catalogue) -> None:
        pools = (pool("a", (f"{KARPENTER}family", "In", "p5")), pool("b", (f"{KARPENTER}family", "In", "g6e")))
        found = candidates(ask({"karpenter.sh/nodepool": "b"}), catalogue, Inventory(pools=pools))
        assert names(found) == {"g6e.48xlarge"}

    def test_the_pods_own_labels_narrow_the_pool(self, catalogue: Catalogue) -> None:
        pools = (pool("gpu", (f"{KARPENTER}category", "In", "p", "g")),)
        found = candidates(ask({f"{KARPENTER}gpu-name": "h100"}), catalogue, Inventory(pools=pools))
        assert names(found) == {"p5.48xlarge"}

    def test_a_named_pool_that_cannot_serve_the_pod_leaves_no_type(self, catalogue: Catalogue) -> None:
        pools = (pool("cpu", (f"{KARPENTER}category", "In", "c", "m")), pool("gpu"))
        found = candidates(ask({"karpenter.sh/nodepool": "cpu"}), catalogue, Inventory(pools=pools))
        assert (found.types, found.source) == ((), Source.NODE_POOLS)

    def test_a_named_pool_that_is_not_known_leaves_the_catalogue(self, catalogue: Catalogue) -> None:
        found = candidates(ask({"karpenter.sh/nodepool": "gpu"}), catalogue, NOTHING)
        assert found.source is Source.CATALOGUE

    @pytest.mark.parametrize(
        ("own", "wanted", "serves"),
        [
            ([("team", "In", "a")], {"team": "a"}, True),
            ([("team", "In", "a")], {"team": "b"}, False),
            ([("team", "Exists")], {"team": "b"}, True),
            ([], {"team": "b"}, False),
            ([], {"topology.kubernetes.io/zone": "us-west-2a"}, True),
            (
                [("topology.kubernetes.io/zone", "In", "us-west-2b")],
                {"topology.kubernetes.io/zone": "us-west-2a"},
                False,
            ),
            ([], {"karpenter.sh/capacity-type": "on-demand"}, True),
            ([("karpenter.sh/capacity-type", "In", "spot")], {"karpenter.sh/capacity-type": "on-demand"}, False),
            ([], {"eks.amazonaws.com/nodegroup": "gpu"}, False),
        ],
    )
    def test_labels_that_a_pool_gives_its_nodes(
        self,
        catalogue: Catalogue,
        own: list[tuple[str, ...]],
        wanted: dict[str, str],
        serves: bool,  # noqa: FBT001
    ) -> None:
        pools = (pool("gpu", (f"{KARPENTER}family", "In", "p5"), *own),)
        found = candidates(ask(wanted), catalogue, Inventory(pools=pools))
        assert (found.source is Source.NODE_POOLS) is serves

    @pytest.mark.parametrize(
        ("operator", "serves"), [("NotIn", True), ("DoesNotExist", True), ("Exists", False), ("In", False)]
    )
    def test_operators_on_a_label_that_the_pool_lacks(
        self,
        catalogue: Catalogue,
        operator: str,
        serves: bool,  # noqa: FBT001 - a column
    ) -> None:
        pools = (pool("gpu", (f"{KARPENTER}family", "In", "p5")),)
        found = candidates(ask({}, term(("team", operator, "a"))), catalogue, Inventory(pools=pools))
        assert (found.source is Source.NODE_POOLS) is serves

    def test_taints_of_a_pool(self, catalogue: Catalogue) -> None:
        taint = Taint("team", "a", "NoSchedule")
        inventory = Inventory(pools=(pool("gpu", (f"{KARPENTER}family", "In", "p5"), taints=(taint,)),))
        assert candidates(ask(), catalogue, inventory).source is Source.CATALOGUE
        tolerant = ask(tolerations=(("team", "Equal", "a", "NoSchedule"),))
        assert names(candidates(tolerant, catalogue, inventory)) == {"p5.48xlarge"}

    def test_terms_meet_each_pool_by_themselves(self, catalogue: Catalogue) -> None:
        pools = (
            pool("a", ("team", "In", "a"), (f"{KARPENTER}category", "In", "p", "g")),
            pool("b", ("team", "In", "b"), (f"{KARPENTER}category", "In", "p", "g")),
        )
        asked = ask(
            {},
            term(("team", "In", "a"), (f"{KARPENTER}family", "In", "p5")),
            term(("team", "In", "b"), (f"{KARPENTER}family", "In", "g6e")),
        )
        assert names(candidates(asked, catalogue, Inventory(pools=pools))) == {"p5.48xlarge", "g6e.48xlarge"}


class TestWhatIsAsked:
    """How many accelerators a pod asks of its node."""

    def test_the_resource_counts(self) -> None:
        asked = ask_of(
            facts(
                Launch(engine=Engine.VLLM, tensor_parallel_size=4),
                engine=container(gpus=2),
                placement=Placement(gpus=2),
            )
        )
        assert (asked.demand, asked.certain) == (Demand(2, GPU), True)

    @pytest.mark.parametrize(
        ("launched", "devices"),
        [
            (Launch(engine=Engine.VLLM, tensor_parallel_size=4), 4),
            (Launch(engine=Engine.VLLM, tensor_parallel_size=4, pipeline_parallel_size=2), 8),
            (Launch(engine=Engine.SGLANG, tensor_parallel_size=16, nodes=2), 8),
            (Launch(engine=Engine.VLLM, tensor_parallel_size=None), 1),
        ],
        ids=["tensor", "pipeline", "nodes", "unknown"],
    )
    def test_else_the_engines_parallelism(self, launched: Launch, devices: int) -> None:
        asked = ask_of(facts(launched, engine=container(gpus=None, resource=None), placement=Placement()))
        assert (asked.demand, asked.certain) == (Demand(devices), False)

    def test_an_assumption_that_nothing_can_meet_gives_way(self, catalogue: Catalogue) -> None:
        many = candidates(Ask(demand=Demand(64), certain=False), catalogue, NOTHING)
        assert all(kind.gpus for kind in many.types)
        assert many.types
        cpu = Ask(placement=Placement(node_selector={f"{KARPENTER}family": "m7i"}), certain=False)
        assert {kind.gpus for kind in candidates(cpu, catalogue, NOTHING).types} == {0}

    @pytest.mark.parametrize(
        ("own", "everybodys", "unasked"),
        [(0, 0, True), (None, None, False), (0, None, False), (0, 4, False)],
        ids=["nobody", "a claim", "another container's claim", "another container"],
    )
    def test_a_pod_that_asks_for_none_may_land_anywhere(
        self,
        catalogue: Catalogue,
        own: int | None,
        everybodys: int | None,
        unasked: bool,  # noqa: FBT001 - a column
    ) -> None:
        asked = ask_of(facts(engine=container(gpus=own, resource=None), placement=Placement(gpus=everybodys)))
        assert asked.unasked is unasked
        assert (candidates(asked, catalogue, NOTHING).types == ()) is unasked

    def test_a_pod_that_asks_for_none_is_still_narrowed_by_its_labels(self, catalogue: Catalogue) -> None:
        asked = Ask(placement=Placement(node_selector={f"{KARPENTER}family": "m7i"}), certain=False, unasked=True)
        assert {kind.gpus for kind in candidates(asked, catalogue, NOTHING).types} == {0}

    def test_all_containers_count_together(self) -> None:
        asked = ask_of(facts(engine=container(gpus=4), placement=Placement(gpus=6)))
        assert asked.demand == Demand(6, GPU)

    def test_annotations_are_asked(self) -> None:
        assert ask_of(facts(annotations=Annotations(instance_types=("p5.48xlarge",)))).told == ("p5.48xlarge",)


KEYS = st.sampled_from([*sorted(JUDGED), "team", "karpenter.sh/nodepool", "kubernetes.io/hostname", ""])
VALUES = st.sampled_from(
    [
        "p5.48xlarge",
        "g5.xlarge",
        "m7i.large",
        "p5",
        "p",
        "g",
        "h100",
        "nvidia",
        "8",
        "4",
        "1000",
        "amd64",
        "linux",
        "gpu",
    ]
) | st.text(max_size=5)
OPERATORS = st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Near"])
EXPRESSIONS = st.builds(
    NodeSelectorRequirement, key=KEYS, operator=OPERATORS, values=st.none() | st.lists(VALUES, max_size=2)
)
TERMS = st.builds(
    NodeSelectorTerm,
    match_expressions=st.none() | st.lists(EXPRESSIONS, max_size=3),
    match_fields=st.none() | st.lists(EXPRESSIONS, max_size=1),
)
PLACEMENTS = st.builds(
    Placement,
    node_name=st.none() | st.just("node-1"),
    node_selector=st.dictionaries(KEYS, VALUES, max_size=2),
    terms=st.lists(TERMS, max_size=2).map(tuple),
    tolerations=st.lists(st.tuples(*[st.none() | VALUES] * 4), max_size=2).map(tuple),
)
ASKS = st.builds(
    Ask,
    placement=PLACEMENTS,
    told=st.just(()),
    demand=st.builds(Demand, st.integers(0, 9), st.sampled_from([None, GPU, "aws.amazon.com/neuron", "example.com/x"])),
    certain=st.booleans(),
)
KINDS = {"node-1": node("p5.48xlarge"), "node-2": NodeKind({}, (Taint("team", "", "NoSchedule"),), {GPU: 1})}
INVENTORIES = st.sampled_from(
    [
        NOTHING,
        Inventory(kinds=tuple(KINDS.values()), names=KINDS),
        Inventory(pools=(pool("gpu", (f"{KARPENTER}gpu-count", "Gt", "0")), pool("team", ("team", "In", "gpu")))),
    ]
)


@given(asked=ASKS, inventory=INVENTORIES)
@settings(max_examples=300, deadline=None)
def test_any_constraints_have_an_answer(asked: Ask, inventory: Inventory) -> None:
    found = candidates(asked, load_catalogue(), inventory)
    assert [kind.name for kind in found.types] == sorted(names(found))
    assert not (found.types and found.missing)


@given(asked=ASKS, more=EXPRESSIONS)
@settings(max_examples=300, deadline=None)
def test_a_constraint_more_never_adds_a_type(asked: Ask, more: NodeSelectorRequirement) -> None:
    """Of what the pod's own constraints leave of the catalogue: a cluster's answer may give way to the catalogue's."""
    terms = asked.placement.terms or (NodeSelectorTerm(match_expressions=[]),)
    narrowed = tuple(
        NodeSelectorTerm(match_expressions=[*(each.match_expressions or ()), more], match_fields=each.match_fields)
        for each in terms
        if asked.placement.terms == () or each.match_expressions or each.match_fields
    )
    if not narrowed:
        return
    wide = Ask(placement=asked.placement, demand=asked.demand)
    placement = Placement(
        node_name=asked.placement.node_name, node_selector=asked.placement.node_selector, terms=narrowed
    )
    before = candidates(wide, load_catalogue(), NOTHING)
    after = candidates(Ask(placement=placement, demand=asked.demand), load_catalogue(), NOTHING)
    if not before.missing:
        assert names(after) <= names(before)


def test_fewer_gpus_asked_for_never_excludes_a_type(catalogue: Catalogue) -> None:
    found = {count: names(candidates(ask(devices=count), catalogue, NOTHING)) for count in (1, 2, 4, 8)}
    for fewer, more in combinations(found, 2):
        assert found[more] <= found[fewer]
