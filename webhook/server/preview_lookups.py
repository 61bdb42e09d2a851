"""The pipeline of a preview: in a thread, by the look-ups that reviews go by, on the event loop those belong to."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from webhook.lookup.catalogue import Catalogue
from webhook.lookup.cluster import ClusterView
from webhook.lookup.facts import Namespace, Unknown, World
from webhook.lookup.offline import OfflineWorld
from webhook.pipeline import Pipeline
from webhook.pod.facts import PodFacts
from webhook.preview.world import AssumingWorld, LiveLookups
from webhook.server.preview_request import Asked
from webhook.server.settings import Settings

_T = TypeVar("_T")
# Of one preview, so that a long manifest leaves room for the look-ups of reviews.
_LOOKUPS_AT_ONCE = 4


class PreviewPipelines:
    """Makes the pipeline of each preview, on the event loop that reviews are answered on."""

    def __init__(self, settings: Settings, catalogue: Catalogue, cluster: ClusterView, live: LiveLookups) -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._cluster = cluster
        self._live = live

    def open(self, asked: Asked) -> Pipeline:
        """Returns a pipeline for use in another thread, on an event loop of its own."""
        rules, lookup = self._settings.namespace_rules(), self._settings.lookup
        if asked.offline:
            world: OfflineWorld | AssumingWorld = OfflineWorld(lookup, self._catalogue, rules, asked.assumed)
        else:
            declared = OfflineWorld(lookup, self._catalogue, rules, asked.assumed, self._cluster.inventory)
            world = AssumingWorld(declared, asked.assumed, _Bridge(self._live, asyncio.get_running_loop()))
        return Pipeline(self._settings.pod, self._settings.plan, world)


class _Bridge:
    """The live look-ups of one event loop, asked from another, a few at a time."""

    def __init__(self, live: LiveLookups, home: asyncio.AbstractEventLoop) -> None:
        self._live = live
        self._home = home
        self._free = asyncio.Semaphore(_LOOKUPS_AT_ONCE)

    async def find(self, facts: PodFacts) -> World:
        """Fetches what is missing, within the deadline. Never raises."""
        async with self._free:
            return await self._at_home(self._live.find(facts))

    async def find_namespace(self, name: str) -> Namespace | Unknown:
        """Fetches a namespace, within the deadline. Never raises."""
        async with self._free:
            return await self._at_home(self._live.find_namespace(name))

    async def _at_home(self, asked: Coroutine[Any, Any, _T]) -> _T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asked, self._home))
