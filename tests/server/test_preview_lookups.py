"""A preview's look-ups: those that reviews go by, asked from another thread, but for what is assumed."""

import asyncio
import threading
from types import MappingProxyType

import pytest

from tests.lookup.make import facts, launch
from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.cluster import NoCluster
from webhook.lookup.facts import Namespace, PodSecurity, Shards, Source, Unknown, World
from webhook.lookup.inventory import Inventory, NodeKind
from webhook.lookup.listing import Listing, declared
from webhook.lookup.offline import Assumed
from webhook.lookup.settings import LookupSettings
from webhook.lookup.stores import NamespaceRules
from webhook.lookup.world import LiveWorld
from webhook.server.preview_lookups import PreviewPipelines
from webhook.server.preview_request import Asked
from webhook.server.settings import Settings

LISTED, DECLARED = declared(17, 170), declared(3, 30)
ENFORCE = "pod-security.kubernetes.io/enforce"
NODE = NodeKind(
    MappingProxyType({"node.kubernetes.io/instance-type": "p5.48xlarge"}),
    devices=MappingProxyType({"nvidia.com/gpu": 8}),
)


class Store:
    """An S3 that notes who asks, and for how many answers at a time."""

    def __init__(self) -> None:
        self.threads: set[int] = set()
        self.asked = 0
        self.waiting = 0
        self.most_waiting = 0

    async def __call__(self, _listing: Listing) -> Shards | Unknown:
        self.threads.add(threading.get_ident())
        self.asked += 1
        self.waiting += 1
        self.most_waiting = max(self.most_waiting, self.waiting)
        await asyncio.sleep(0)
        self.waiting -= 1
        return LISTED


def found(store: Store, asked: Asked, pods: int = 1) -> list[World]:
    """What a preview finds for pods of as many models, made in a thread."""

    async def scene() -> list[World]:
        cluster = NoCluster(NamespaceRules(), {ENFORCE: "baseline"})
        cluster.inventory = Inventory(kinds=(NODE,))
        live = LiveWorld(LookupSettings(), load_catalogue(), cluster, store)
        pipeline = PreviewPipelines(Settings(), load_catalogue(), cluster, live).open(asked)

        async def made() -> list[World]:
            uris = [f"s3://weights/{number}" for number in range(pods)]
            return list(await asyncio.gather(*(pipeline.find(facts(launch(uri))) for uri in uris)))

        worlds = await asyncio.to_thread(asyncio.run, made())
        await live.close()
        return worlds

    return asyncio.run(scene())


@pytest.mark.parametrize(
    ("asked", "shards", "source", "pod_security"),
    [
        pytest.param(
            Asked(offline=False, assumed=Assumed()), LISTED, Source.NODES, PodSecurity.BASELINE, id="nothing assumed"
        ),
        pytest.param(
            Asked(offline=False, assumed=Assumed(shards=DECLARED)),
            DECLARED,
            Source.NODES,
            PodSecurity.BASELINE,
            id="a listing",
        ),
        pytest.param(
            Asked(offline=False, assumed=Assumed(instance_types=("g6e.12xlarge",))),
            LISTED,
            Source.FLAG,
            PodSecurity.BASELINE,
            id="an instance type",
        ),
        pytest.param(
            Asked(offline=False, assumed=Assumed(namespace_labels={ENFORCE: "restricted"})),
            LISTED,
            Source.NODES,
            PodSecurity.RESTRICTED,
            id="labels",
        ),
        pytest.param(
            Asked(offline=False, assumed=Assumed(shards=DECLARED, namespace_labels={"team": "a"})),
            DECLARED,
            Source.NODES,
            PodSecurity.PRIVILEGED,
            id="a listing and labels",
        ),
        pytest.param(
            Asked(offline=True, assumed=Assumed(shards=DECLARED)),
            DECLARED,
            Source.CATALOGUE,
            PodSecurity.PRIVILEGED,
            id="offline",
        ),
    ],
)
def test_what_is_assumed_goes_before_what_is(
    asked: Asked, shards: Shards, source: Source, pod_security: PodSecurity
) -> None:
    store = Store()
    (world,) = found(store, asked)
    assert world.shards == shards
    assert world.candidates.source is source
    assert isinstance(world.namespace, Namespace)
    assert world.namespace.pod_security is pod_security
    assert store.asked == (shards == LISTED), "a declared listing is not made as well"


def test_look_ups_are_made_on_the_loop_of_the_reviews_a_few_at_a_time() -> None:
    store = Store()
    found(store, Asked(offline=False, assumed=Assumed()), pods=30)
    assert store.threads == {threading.get_ident()}
    assert store.asked == 30
    assert store.most_waiting <= 4
