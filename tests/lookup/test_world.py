"""The world as a review sees it: what is known at once, and what is found within the deadline."""

import asyncio
from collections.abc import Awaitable, Callable
from types import MappingProxyType

import pytest

from tests.lookup.make import container, facts, launch, term
from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.cluster import NoCluster
from webhook.lookup.facts import Candidates, Namespace, PodSecurity, Shards, Source, Unknown, World
from webhook.lookup.inventory import Inventory, NodeKind
from webhook.lookup.listing import Listing
from webhook.lookup.observer import Lookup, Memory, Outcome
from webhook.lookup.offline import Assumed, OfflineWorld
from webhook.lookup.settings import LookupSettings
from webhook.lookup.stores import NamespaceRules
from webhook.lookup.world import LiveWorld
from webhook.pod.facts import Annotations, Placement, PodFacts
from webhook.pod.view import NodeSelectorRequirement, NodeSelectorTerm
from webhook.reasons import Code, because

SHARDS = Shards(count=17, total_bytes=170, largest_bytes=10)
TYPE = "node.kubernetes.io/instance-type"
P5 = Placement(node_selector={TYPE: "p5.48xlarge"}, gpus=8)


class FakeCluster:
    """A cluster whose namespaces and inventory a test sets."""

    def __init__(self) -> None:
        self.inventory = Inventory()
        self.memory: dict[str, Namespace] = {}
        self.server: dict[str, Namespace | Unknown] = {}
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    def namespace(self, name: str) -> Namespace | None:
        return self.memory.get(name)

    async def fetch_namespace(self, name: str) -> Namespace | Unknown:
        self.asked.append(name)
        await self.gate.wait()
        return self.server.get(name) or Unknown(because(Code.NAMESPACE_UNKNOWN, namespace=name, problem="no answer"))


class FakeStore:
    """An S3 that lists what a test says, when a test says."""

    def __init__(self) -> None:
        self.answer: Shards | Unknown | Exception = SHARDS
        self.asked: list[Listing] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, listing: Listing) -> Shards | Unknown:
        self.asked.append(listing)
        await self.gate.wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Counts:
    """An observer that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Lookup, Outcome | Memory]] = []

    def count_lookup(self, lookup: Lookup, outcome: Outcome, seconds: float) -> None:
        assert seconds >= 0
        self.told.append((lookup, outcome))

    def count_cache(self, lookup: Lookup, result: Memory) -> None:
        self.told.append((lookup, result))

    def count_stale(self, lookup: Lookup, age_seconds: float) -> None:
        assert (lookup, age_seconds > 0) == (Lookup.MODEL, True)


class Scene:
    def __init__(self, deadline: float = 30.0) -> None:
        self.cluster = FakeCluster()
        self.cluster.memory["team-a"] = Namespace(name="team-a")
        self.store = FakeStore()
        self.counts = Counts()
        settings = LookupSettings(deadline_seconds=deadline)
        self.world = LiveWorld(settings, load_catalogue(), self.cluster, self.store, self.counts)


def play(scene: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        await scene()

    asyncio.run(run())


def code_of(found: object) -> Code:
    assert isinstance(found, Unknown), found
    return found.reason.code


def test_what_is_not_known_is_found_and_then_known() -> None:
    async def scene() -> None:
        s = Scene()
        pod = facts(placement=P5)
        assert s.world.known(pod) is None
        found = await s.world.find(pod)
        assert found.shards == SHARDS
        assert [kind.name for kind in found.candidates.types] == ["p5.48xlarge"]
        assert found.namespace == Namespace(name="team-a")
        assert s.world.known(pod) == found
        assert len(s.store.asked) == 1
        assert s.counts.told == [
            (Lookup.MODEL, Memory.MISS),
            (Lookup.MODEL, Outcome.FOUND),
            (Lookup.MODEL, Memory.HIT),
        ]

    play(scene)


@pytest.mark.parametrize(
    "pod",
    [
        facts(launch("org/model")),
        facts(skips=(because(Code.NO_ENGINE),)),
        facts(launch("gs://weights/llm")),
        facts(annotations=Annotations(shards=2, model_bytes=10)),
        facts(engine=container({"AWS_ENDPOINT_URL": "https://evil.example"})),
    ],
    ids=["hub", "skipped", "google", "declared", "endpoint"],
)
def test_a_pod_without_a_listing_is_known_at_once(pod: PodFacts) -> None:
    async def scene() -> None:
        s = Scene()
        known = s.world.known(pod)
        assert known is not None
        assert await s.world.find(pod) == known
        assert s.store.asked == []

    play(scene)


def test_what_is_late_is_unknown_and_the_next_pod_has_it() -> None:
    async def scene() -> None:
        s = Scene(deadline=0.01)
        s.store.gate.clear()
        pod = facts(placement=P5)
        found = await s.world.find(pod)
        assert code_of(found.shards) is Code.LOOKUP_SLOW
        assert found.candidates.types
        s.store.gate.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        known = s.world.known(pod)
        assert known is not None
        assert known.shards == SHARDS
        assert len(s.store.asked) == 1

    play(scene)


def test_both_look_ups_wait_side_by_side() -> None:
    async def scene() -> None:
        s = Scene()
        s.store.gate.clear()
        s.cluster.gate.clear()
        finding = asyncio.create_task(s.world.find(facts(namespace="new")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (len(s.store.asked), s.cluster.asked) == (1, ["new"])
        s.store.gate.set()
        s.cluster.gate.set()
        await finding

    play(scene)


def test_a_store_that_fails_is_a_value() -> None:
    async def scene() -> None:
        s = Scene()
        s.store.answer = RuntimeError("broken")
        found = await s.world.find(facts())
        assert code_of(found.shards) is Code.LOOKUP_FAILED
        known = s.world.known(facts())
        assert known is not None
        assert code_of(known.shards) is Code.LOOKUP_FAILED

    play(scene)


def test_a_new_namespace_is_asked_for_once() -> None:
    async def scene() -> None:
        s = Scene()
        s.cluster.server["new"] = Namespace(name="new", pod_security=PodSecurity.BASELINE)
        pod = facts(launch("org/model"), namespace="new")
        assert s.world.known(pod) is None
        assert (await s.world.find(pod)).namespace == s.cluster.server["new"]
        known = s.world.known(pod)
        assert known is not None
        assert known.namespace == s.cluster.server["new"]
        assert s.cluster.asked == ["new"]

    play(scene)


def test_the_watch_wins_over_what_was_asked_for() -> None:
    async def scene() -> None:
        s = Scene()
        s.cluster.server["new"] = Namespace(name="new")
        pod = facts(launch("org/model"), namespace="new")
        await s.world.find(pod)
        s.cluster.memory["new"] = Namespace(name="new", opted_in=True)
        known = s.world.known(pod)
        assert known is not None
        assert known.namespace == s.cluster.memory["new"]

    play(scene)


def test_a_namespace_that_cannot_be_read_is_unknown() -> None:
    async def scene() -> None:
        s = Scene()
        found = await s.world.find(facts(launch("org/model"), namespace="new"))
        assert code_of(found.namespace) is Code.NAMESPACE_UNKNOWN

    play(scene)


def test_another_way_to_the_store_is_another_listing() -> None:
    async def scene() -> None:
        s = Scene()
        await s.world.find(facts())
        assert s.world.known(facts(engine=container({"RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING": "0"}))) is None

    play(scene)


def test_candidates_follow_the_cluster() -> None:
    async def scene() -> None:
        s = Scene()
        pod = facts(launch("org/model"), placement=Placement(node_selector={"team": "a"}))

        def now() -> Candidates:
            known = s.world.known(pod)
            assert known is not None
            return known.candidates

        assert now().source is Source.CATALOGUE
        assert now() is now()
        kind = NodeKind({TYPE: "p5.48xlarge", "team": "a"}, (), {"nvidia.com/gpu": 8})
        s.cluster.inventory = Inventory(kinds=(kind,))
        assert [found.name for found in now().types] == ["p5.48xlarge"]

    play(scene)


def test_a_pod_whose_look_ups_say_the_same_is_given_the_same_world() -> None:
    async def scene() -> None:
        s = Scene()
        pod, named = facts(launch("org/model")), facts(launch("org/model"), placement=Placement(node_name="node-1"))
        first = s.world.known(pod)
        assert s.world.known(pod) is first
        assert s.world.known(named) is s.world.known(named)
        s.cluster.inventory = Inventory()
        assert s.world.known(pod) is not first

    play(scene)


def test_a_world_that_was_waited_for_is_the_same_afterwards() -> None:
    async def scene() -> None:
        s = Scene()
        pod = facts()
        found = await s.world.find(pod)
        assert s.world.known(pod) is found

    play(scene)


def test_an_unusually_long_ask_is_not_remembered() -> None:
    async def scene() -> None:
        s = Scene()
        for letters, same in ((100, True), (5_000, False)):
            placement = Placement(node_selector={"team": "a" * letters})
            first, second = (s.world.known(facts(launch("org/model"), placement=placement)) for _ in range(2))
            assert first is not None
            assert second is not None
            assert (first.candidates is second.candidates) is same
            assert first == second

    play(scene)


def test_a_namespace_with_a_name_that_none_can_have_is_not_asked_for() -> None:
    async def scene() -> None:
        s = Scene()
        for name, asked in (("n" * 63, True), ("n" * 64, False)):
            found = await s.world.find(facts(launch("org/model"), namespace=name))
            assert code_of(found.namespace) is Code.NAMESPACE_UNKNOWN
            assert (name in s.cluster.asked) is asked

    play(scene)


@pytest.mark.parametrize(
    "placement",
    [
        Placement(node_name="node-1"),
        Placement(node_selector={"kubernetes.io/hostname": "node-1"}),
        Placement(terms=(term(("kubernetes.io/hostname", "In", "node-1", "node-2")),)),
        Placement(
            terms=(
                NodeSelectorTerm(
                    match_fields=[NodeSelectorRequirement(key="metadata.name", operator="In", values=["node-1"])]
                ),
            )
        ),
    ],
    ids=["node name", "selector", "affinity", "field"],
)
def test_a_node_named_is_looked_up_every_time(placement: Placement) -> None:
    async def scene() -> None:
        s = Scene()
        names: dict[str, NodeKind] = {}
        s.cluster.inventory = Inventory(names=names)
        pod = facts(launch("org/model"), placement=placement)
        for kind in ("p5.48xlarge", "g6e.48xlarge"):
            names["node-1"] = NodeKind({TYPE: kind}, (), {"nvidia.com/gpu": 8})
            known = s.world.known(pod)
            assert known is not None
            assert [found.name for found in known.candidates.types] == [kind]

    play(scene)


def test_any_mapping_may_be_a_node_selector() -> None:
    async def scene() -> None:
        s = Scene()
        placement = Placement(node_selector=MappingProxyType({TYPE: "p5.48xlarge"}), terms=(term(("a", "Exists")),))
        known = s.world.known(facts(launch("org/model"), placement=placement))
        assert known is not None
        assert known.candidates.source is Source.NODE_SELECTOR

    play(scene)


def test_closing_ends_what_goes_on_in_the_background() -> None:
    async def scene() -> None:
        s = Scene(deadline=0.01)
        s.store.gate.clear()
        await s.world.find(facts())
        await s.world.close()

    play(scene)


def test_without_a_cluster_the_rules_tell_the_namespace() -> None:
    async def scene() -> None:
        cluster = NoCluster(NamespaceRules(pod_security=PodSecurity.BASELINE))
        world = LiveWorld(LookupSettings(), load_catalogue(), cluster, FakeStore())
        found = await world.find(facts())
        assert found.namespace == Namespace(name="team-a", pod_security=PodSecurity.BASELINE)
        assert found.shards == SHARDS

    play(scene)


class TestOffline:
    """A preview without any I/O."""

    def known(self, pod: PodFacts, assumed: Assumed | None = None, settings: LookupSettings | None = None) -> World:
        world = OfflineWorld(settings or LookupSettings(), load_catalogue(), NamespaceRules(), assumed)
        known = world.known(pod)
        assert asyncio.run(world.find(pod)) == known
        return known

    def test_shards_are_not_looked_up(self) -> None:
        assert code_of(self.known(facts()).shards) is Code.OFFLINE

    def test_flags_stand_for_the_listing_of_every_s3_model(self) -> None:
        assumed = Assumed(shards=SHARDS)
        assert self.known(facts(), assumed).shards == SHARDS
        assert self.known(facts(), assumed, LookupSettings(allowed_buckets=())).shards == SHARDS
        assert self.known(facts(launch("org/model")), assumed).shards is None
        assert code_of(self.known(facts(launch("gs://weights/llm")), assumed).shards) is Code.STORE_NOT_S3

    def test_annotations_win_over_flags(self) -> None:
        pod = facts(annotations=Annotations(shards=2, model_bytes=10, instance_types=("g6e.48xlarge",)))
        known = self.known(pod, Assumed(shards=SHARDS, instance_types=("p5.48xlarge",)))
        assert known.shards == Shards(count=2, total_bytes=10, largest_bytes=5, declared=True)
        assert [kind.name for kind in known.candidates.types] == ["g6e.48xlarge"]

    def test_the_instance_type_flag_wins_over_the_pods_constraints(self) -> None:
        known = self.known(facts(placement=P5), Assumed(instance_types=("G6e.48xlarge",)))
        assert [kind.name for kind in known.candidates.types] == ["g6e.48xlarge"]
        assert known.candidates.source is Source.FLAG

    def test_the_pods_constraints_narrow_the_catalogue(self) -> None:
        known = self.known(facts(placement=P5))
        assert [kind.name for kind in known.candidates.types] == ["p5.48xlarge"]

    def test_namespace_labels(self) -> None:
        labels = {"pod-security.kubernetes.io/enforce": "baseline", "fastload.dev/inject": "enabled"}
        expected = Namespace(name="team-a", opted_in=True, pod_security=PodSecurity.BASELINE)
        assert self.known(facts(), Assumed(namespace_labels=labels)).namespace == expected
        assert self.known(facts()).namespace == Namespace(name="team-a")
