"""The world of a preview: live look-ups, but for what its caller declares."""

from typing import Protocol

import msgspec

from webhook.lookup.facts import Namespace, Unknown, World
from webhook.lookup.offline import Assumed, OfflineWorld
from webhook.pod.facts import PodFacts


class LiveLookups(Protocol):
    """What a preview asks of the look-ups that reviews go by."""

    async def find(self, facts: PodFacts) -> World:
        """Fetches what is missing, within the deadline. Never raises."""

    async def find_namespace(self, name: str) -> Namespace | Unknown:
        """Fetches a namespace, within the deadline. Never raises."""


class AssumingWorld:
    """A `WorldSource` that takes from live look-ups what is not assumed, and makes no look-up for what is."""

    def __init__(self, declared: OfflineWorld, assumed: Assumed, live: LiveLookups) -> None:
        self._declared = declared
        self._assumed = assumed
        self._live = live

    def known(self, _facts: PodFacts) -> World | None:
        """Returns None: a preview has no memory of its own."""
        return None

    async def find(self, facts: PodFacts) -> World:
        """Returns the world as it is, with what is assumed in its place."""
        if self._assumed == Assumed():
            return await self._live.find(facts)
        declared = self._declared.known(facts)
        if not self._assumed.shards:
            live = await self._live.find(facts)
            namespace = declared.namespace if self._assumed.namespace_labels else live.namespace
            return msgspec.structs.replace(declared, shards=live.shards, namespace=namespace)
        if self._assumed.namespace_labels:
            return declared
        return msgspec.structs.replace(declared, namespace=await self._live.find_namespace(facts.namespace))
