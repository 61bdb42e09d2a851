"""Follows a resource of the API server: lists it, watches it, and starts again when the watch breaks.

What was seen last stays in the store while the server is away, so reviews go on with it.
"""

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Generic, Protocol, TypeVar

import msgspec

_log = logging.getLogger(__name__)

_PAGE = 500
# The server ends a watch after this many seconds; it is then made anew from the last version seen.
_WATCH_SECONDS = 300
# Pause after a watch that ended in good order, and the bounds of the pause after a failure, in seconds. The longest is
# short: a namespace that enforces Pod Security since would refuse a pod that is patched by what was known before.
_BETWEEN_SECONDS = 1.0
_SHORTEST_SECONDS = 0.5
_LONGEST_SECONDS = 5.0
# Pause before asking again for what does not exist (NodePools, without Karpenter).
_ABSENT_SECONDS = 60.0
_GONE = 410
_FORBIDDEN = 403
_ABSENT = 404


class KubeError(Exception):
    """The API server refused a call, was not reached, or sent what cannot be read; `status` is then None."""

    def __init__(self, problem: str, status: int | None = None) -> None:
        super().__init__(problem)
        self.status = status


class KubeApi(Protocol):
    """The calls to the API server that the look-ups make. Bodies are raw, to be decoded only as far as is needed."""

    async def get(self, path: str, query: Mapping[str, str]) -> bytes:
        """Returns the body of a GET.

        Raises:
            KubeError: where the server is not reached or its status is not 200.
        """

    def watch(self, path: str, query: Mapping[str, str]) -> AsyncIterator[bytes]:
        """Yields the lines of a watch until the server ends it.

        Raises:
            KubeError: where the server is not reached, its status is not 200, or the connection breaks.
        """


class Metadata(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What is read of an object's metadata."""

    name: str = ""
    labels: dict[str, str] | None = None
    resource_version: str = ""


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """An object of the API: every followed type has metadata."""

    metadata: Metadata = Metadata()


T = TypeVar("T", bound=Named)


S_contra = TypeVar("S_contra", bound=Named, contravariant=True)


class Store(Protocol[S_contra]):
    """Where a followed resource is kept."""

    def replace(self, objects: Iterable[S_contra]) -> None:
        """Forgets what was there, and keeps these."""

    def put(self, found: S_contra) -> None:
        """Keeps a new or changed object."""

    def remove(self, name: str) -> None:
        """Forgets an object that is gone."""


class _ListMetadata(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""
    continue_: str = msgspec.field(name="continue", default="")


class _Page(msgspec.Struct, Generic[T], frozen=True):
    metadata: _ListMetadata = _ListMetadata()
    items: list[T] | None = None


def pages_of(kind: type[T]) -> msgspec.json.Decoder[_Page[T]]:
    """Returns what reads the pages of a resource."""
    return msgspec.json.Decoder(_Page[kind])  # type: ignore[valid-type]  # a type that is a value here


async def list_all(api: KubeApi, path: str, pages: msgspec.json.Decoder[_Page[T]]) -> tuple[list[T], str]:
    """Returns every object of a resource, page by page, and the version that they show.

    Raises:
        KubeError: the server is not reached, refuses, or sends what cannot be read.
    """
    objects: list[T] = []
    query = {"limit": str(_PAGE)}
    while True:
        page = decode(pages, await api.get(path, query))
        objects += page.items or ()
        if not page.metadata.continue_:
            return objects, page.metadata.resource_version
        query["continue"] = page.metadata.continue_


class _Event(msgspec.Struct, frozen=True):
    type: str
    object: msgspec.Raw


class _Status(msgspec.Struct, frozen=True):
    code: int | None = None
    reason: str = ""


class Follower(Generic[T]):
    """Keeps a store as the API server's resource is."""

    def __init__(
        self,
        api: KubeApi,
        path: str,
        kind: type[T],
        store: Store[T],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._api = api
        self._path = path
        self._page = pages_of(kind)
        self._object = msgspec.json.Decoder(kind)
        self._store = store
        self._sleep = sleep
        self._version: str | None = None
        self._failures = 0
        # Set once the server has answered, if only to say that there is nothing for us.
        self.settled = asyncio.Event()
        # What stands in the way now; None while the store follows the server.
        self.problem: str | None = "not asked yet"
        # When the server last told how things are, in seconds since the epoch; 0 before it ever did. A watch on which
        # nothing happens is told so about once a minute.
        self.heard = 0.0

    async def run(self) -> None:
        """Lists and watches, until it is cancelled; nothing else ends it, a fault of our own neither."""
        while True:
            try:
                if self._version is None:
                    self._version = await self._list()
                    self._settle(None)
                await self._watch(self._version)
                pause = _BETWEEN_SECONDS
            except KubeError as fault:
                pause = self._fail(fault)
            except Exception as fault:  # noqa: BLE001 - see above
                _log.exception("following %s failed", self._path)
                pause = self._fail(KubeError(type(fault).__name__))
            await self._sleep(pause)

    async def _list(self) -> str:
        """Fills the store from all pages, and returns the version that it shows."""
        objects, version = await list_all(self._api, self._path, self._page)
        self._store.replace(objects)
        return version

    async def _watch(self, version: str) -> None:
        query = {
            "watch": "1",
            "resourceVersion": version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(_WATCH_SECONDS),
        }
        async for line in self._api.watch(self._path, query):
            self._apply(decode(_EVENTS, line))
            self._settle(None)

    def _apply(self, event: _Event) -> None:
        if event.type == "ERROR":
            status = decode(_STATUSES, event.object)
            raise KubeError(f"watch of {self._path}: {status.reason or status.code}", status.code)
        found = decode(self._object, event.object)
        if event.type in ("ADDED", "MODIFIED"):
            self._store.put(found)
        elif event.type == "DELETED":
            self._store.remove(found.metadata.name)
        self._version = found.metadata.resource_version or self._version

    def _fail(self, fault: KubeError) -> float:
        """Notes a failure, and returns how long to wait before the next try."""
        if fault.status == _GONE:  # the version is too old to watch from: list again, at once
            self._version = None
            return _SHORTEST_SECONDS
        if fault.status == _ABSENT:
            self._version = None
            self._store.replace(())
            self._settle(str(fault))
            return _ABSENT_SECONDS
        if fault.status == _FORBIDDEN:  # no right to it, or a server that starts and has not read its rules yet
            self.settled.set()
        self._note(str(fault))
        self._failures += 1
        longest = min(_LONGEST_SECONDS, _SHORTEST_SECONDS * 2.0 ** min(self._failures, 10))
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads the load, hides nothing

    def _settle(self, problem: str | None) -> None:
        self._note(problem)
        self._failures = 0
        self.heard = time.time()
        self.settled.set()

    def _note(self, problem: str | None) -> None:
        """Keeps the problem, and logs it when it changes."""
        if problem != self.problem and problem:
            _log.warning("not following the cluster: %s", problem)
        elif problem != self.problem:
            _log.info("following %s", self._path)
        self.problem = problem


_EVENTS = msgspec.json.Decoder(_Event)
_STATUSES = msgspec.json.Decoder(_Status)

D = TypeVar("D")


def decode(decoder: msgspec.json.Decoder[D], body: bytes | msgspec.Raw) -> D:
    """Reads what the server sent.

    Raises:
        KubeError: it is not what was asked for.
    """
    try:
        return decoder.decode(body)
    except msgspec.DecodeError as fault:
        raise KubeError(f"an answer that cannot be read: {fault}") from fault
