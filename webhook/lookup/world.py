"""The world as a review sees it: what memory has at once, and what can be fetched within the deadline."""

import asyncio
from collections.abc import Awaitable, Callable

from cachetools import LRUCache

from webhook.lookup.cached import Cached, Policy
from webhook.lookup.catalogue import Catalogue
from webhook.lookup.cluster import ClusterView
from webhook.lookup.facts import Candidates, Namespace, Shards, Unknown, World
from webhook.lookup.instances import candidates
from webhook.lookup.inventory import Inventory
from webhook.lookup.listing import Listing
from webhook.lookup.observer import Lookup, Observer, Unobserved
from webhook.lookup.question import Question, Questions, Seen
from webhook.lookup.settings import LookupSettings
from webhook.pod.facts import PodFacts
from webhook.reasons import Code, because

# How long one look-up may go on in the background, in seconds: longer than a listing takes by its own limits.
_FETCH_SECONDS = 45.0
# How long a namespace that was asked for by name holds: until the watch has it, which is a matter of seconds.
_NAMESPACE_SECONDS = 30.0
_NAMESPACES = 1_000
# As long as a namespace's name may be: it is a DNS label (Kubernetes, "Object Names and IDs").
_NAMESPACE_CHARACTERS = 63
# What pods ask of their nodes: as many as there are templates in the memory of reviews, and of a length that pods have.
_ASKS = 1_024
_ASK_BYTES = 4_096

ListShards = Callable[[Listing], Awaitable[Shards | Unknown]]


class InstanceTypes:
    """Candidates by what a pod asks, remembered as long as the cluster's inventory is the same.

    An ask of unusual length is answered each time, so memory is bounded in bytes as well.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._inventory: Inventory | None = None
        self._known: LRUCache[bytes, Candidates] = LRUCache(_ASKS)

    def of(self, question: Question, inventory: Inventory) -> Candidates:
        """Returns the instance types that a pod may land on."""
        ask, key = question.ask, question.ask_key
        # Which kind a named node is of may change without a change of the inventory.
        if question.nodes or len(key) > _ASK_BYTES:
            return candidates(ask, self._catalogue, inventory)
        if inventory is not self._inventory:
            self._inventory = inventory
            self._known.clear()
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = candidates(ask, self._catalogue, inventory)
        return found


class LiveWorld:
    """The world in memory, filled by look-ups in S3 and the cluster. It belongs to one event loop."""

    def __init__(
        self,
        settings: LookupSettings,
        catalogue: Catalogue,
        cluster: ClusterView,
        list_shards: ListShards,
        observer: Observer | None = None,
    ) -> None:
        self._settings = settings
        self._cluster = cluster
        self._questions = Questions(settings)
        self._types = InstanceTypes(catalogue)
        observer = observer or Unobserved()
        self._models: Cached[Listing, Shards] = Cached(
            list_shards, _model_policy(settings), lookup=Lookup.MODEL, observer=observer
        )
        self._namespaces: Cached[str, Namespace] = Cached(
            cluster.fetch_namespace, _namespace_policy(settings), lookup=Lookup.NAMESPACE, observer=observer
        )

    def known(self, facts: PodFacts) -> World | None:
        """Returns the world from memory, without I/O or a lock; None where something has to be fetched first.

        It is the same object as before where the look-ups say the same as before.
        """
        namespace = self.known_namespace(facts.namespace)
        if namespace is None:
            return None
        question = self._questions.of(facts)
        shards = question.shards
        if isinstance(shards, Listing):
            shards = self._models.peek(shards)
            if shards is None:
                return None
        return self._world(question, shards, namespace)

    async def find(self, facts: PodFacts) -> World:
        """Fetches what is missing, all at once, within the deadline; what is late is an `Unknown`. Never raises.

        A look-up that is late goes on, so the next pod finds it in memory.
        """
        question = self._questions.of(facts)
        shards, namespace = await asyncio.gather(self._find_shards(question), self.find_namespace(facts.namespace))
        return self._world(question, shards, namespace)

    def known_namespace(self, name: str) -> Namespace | Unknown | None:
        """Returns a namespace from memory; None where it has to be fetched first."""
        if len(name) > _NAMESPACE_CHARACTERS:
            return Unknown(because(Code.NAMESPACE_UNKNOWN, namespace=name, problem="no namespace has a name so long"))
        return self._cluster.namespace(name) or self._namespaces.peek(name)

    async def find_namespace(self, name: str) -> Namespace | Unknown:
        """Returns a namespace, fetched within the deadline where memory does not have it. Never raises."""
        return self.known_namespace(name) or await self._namespaces.get(name, self._settings.deadline_seconds)

    async def close(self) -> None:
        """Ends the look-ups that go on in the background."""
        await asyncio.gather(self._models.close(), self._namespaces.close())

    async def _find_shards(self, question: Question) -> Shards | Unknown | None:
        if not isinstance(question.shards, Listing):
            return question.shards
        return await self._models.get(question.shards, self._settings.deadline_seconds)

    def _world(self, question: Question, shards: Shards | Unknown | None, namespace: Namespace | Unknown) -> World:
        """Returns the answer to a question, the same object as before where nothing in it changed."""
        inventory, last = self._cluster.inventory, question.last
        kinds = tuple(map(inventory.names.get, question.nodes))
        if last and last.inventory is inventory and last.kinds == kinds:
            world = last.world
            if world.shards is shards and world.namespace == namespace:
                return world
        candidates = self._types.of(question, inventory)
        world = World(shards=shards, candidates=candidates, namespace=namespace)
        question.last = Seen(inventory, kinds, world)
        return world


def _model_policy(settings: LookupSettings) -> Policy:
    return Policy(
        fresh_seconds=settings.listing_fresh_seconds,
        stale_seconds=settings.listing_stale_seconds,
        failure_seconds=settings.failure_seconds,
        fetch_seconds=_FETCH_SECONDS,
        entries=settings.cache_entries,
    )


def _namespace_policy(settings: LookupSettings) -> Policy:
    return Policy(
        fresh_seconds=_NAMESPACE_SECONDS,
        stale_seconds=_NAMESPACE_SECONDS,
        failure_seconds=settings.failure_seconds,
        fetch_seconds=_FETCH_SECONDS,
        entries=_NAMESPACES,
    )
