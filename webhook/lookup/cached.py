"""The one cache of all look-ups: fresh, then stale while a new answer is fetched, one fetch at a time for each key.

It belongs to one event loop and takes no lock. A fetch is a task of its own: nobody who waits for it can cancel it, and
it goes on when they stop waiting, so the next to ask has the answer.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

import msgspec

from webhook.lookup.facts import Unknown
from webhook.lookup.observer import Harmless, Lookup, Memory, Observer, Outcome
from webhook.reasons import Code, because

# Fetches under way at once. Beyond, whoever asks is told at once what it would hear at its deadline.
_FLIGHTS = 256

_log = logging.getLogger(__name__)

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """How long a cache keeps what, in seconds, and how much of it."""

    fresh_seconds: float
    # How much longer an answer is served while a new one is fetched behind it.
    stale_seconds: float
    # How long a failure is remembered, so that it is not sought again by every pod of a burst.
    failure_seconds: float
    # How long a fetch may take in the background.
    fetch_seconds: float
    entries: int


class _Entry(msgspec.Struct, frozen=True, gc=False):
    value: object
    fresh_until: float
    usable_until: float


class Cached(Generic[K, V]):
    """Answers by key, fetched by `fetch`; `lookup` says what they are, and a key's `str` which."""

    def __init__(
        self,
        fetch: Callable[[K], Awaitable[V | Unknown]],
        policy: Policy,
        *,
        lookup: Lookup,
        observer: Observer,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._policy = policy
        self._lookup = lookup
        self._observer = Harmless(observer)
        self._clock = clock
        self._entries: OrderedDict[K, _Entry] = OrderedDict()
        self._flights: dict[K, asyncio.Task[V | Unknown]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def peek(self, key: K) -> V | Unknown | None:
        """Returns what memory has, fresh or stale, without waiting; None where nothing usable is there.

        A stale answer sets off a fetch in the background, so an event loop must be running.
        """
        entry = self._entries.get(key)
        if entry is None:
            return None
        now = self._clock()
        if now >= entry.usable_until:
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        if now < entry.fresh_until:
            self._observer.count_cache(self._lookup, Memory.HIT)
        else:
            self._observer.count_cache(self._lookup, Memory.STALE)
            self._observer.count_stale(self._lookup, now - self._fetched(entry))
            self._take_off(key)
        return entry.value  # type: ignore[return-value]  # entries hold what `_land` put there

    async def get(self, key: K, wait_seconds: float) -> V | Unknown:
        """Returns the answer, waiting for it up to `wait_seconds`; an `Unknown` where it is not there by then."""
        known = self.peek(key)
        if known is not None:
            return known
        self._observer.count_cache(self._lookup, Memory.MISS)
        flight = self._take_off(key)
        if flight is None:
            self._observer.count_lookup(self._lookup, Outcome.LATE, 0.0)
            return self._slow(key)
        await asyncio.wait((flight,), timeout=max(wait_seconds, 0.0))
        if flight.done() and not flight.cancelled():
            return flight.result()
        self._observer.count_lookup(self._lookup, Outcome.LATE, wait_seconds)
        return self._slow(key)

    async def close(self) -> None:
        """Cancels the fetches that are under way, and waits until they are gone."""
        flights = list(self._flights.values())
        for flight in flights:
            flight.cancel()
        await asyncio.gather(*flights, return_exceptions=True)

    def _take_off(self, key: K) -> asyncio.Task[V | Unknown] | None:
        """Starts the fetch of a key, unless one is under way already; None where too many others are."""
        flight = self._flights.get(key)
        if flight is None and len(self._flights) < _FLIGHTS:
            flight = asyncio.create_task(self._fly(key))
            self._flights[key] = flight
            flight.add_done_callback(lambda _: self._flights.pop(key))
        return flight

    async def _fly(self, key: K) -> V | Unknown:
        started = self._clock()
        value = await self._ask(key)
        outcome = Outcome.UNKNOWN if isinstance(value, Unknown) else Outcome.FOUND
        self._observer.count_lookup(self._lookup, outcome, self._clock() - started)
        self._land(key, value)
        return value

    async def _ask(self, key: K) -> V | Unknown:
        """Fetches; a fetch that raises or takes too long is a value as well."""
        try:
            async with asyncio.timeout(self._policy.fetch_seconds):
                return await self._fetch(key)
        except TimeoutError:
            return self._slow(key)
        except Exception as fault:  # noqa: BLE001 - whatever a client raises, the review must be answered
            _log.exception("looking up a %s failed", self._lookup)
            return Unknown(because(Code.LOOKUP_FAILED, subject=self._subject(key), problem=type(fault).__name__))

    def _land(self, key: K, value: V | Unknown) -> None:
        """Remembers an answer, as the same object where it is the same as before.

        A failure does not displace an answer that may still be served.
        """
        now, before = self._clock(), self._entries.get(key)
        if before is not None and before.value == value:
            value = before.value
        if isinstance(value, Unknown):
            until = now + self._policy.failure_seconds
            if before is not None and now < before.usable_until and not isinstance(before.value, Unknown):
                entry = _Entry(before.value, min(until, before.usable_until), before.usable_until)
            else:
                entry = _Entry(value, until, until)
        else:
            fresh_until = now + self._policy.fresh_seconds
            entry = _Entry(value, fresh_until, fresh_until + self._policy.stale_seconds)
        self._entries[key] = entry
        self._entries.move_to_end(key)
        while len(self._entries) > self._policy.entries:
            self._entries.popitem(last=False)

    def _fetched(self, entry: _Entry) -> float:
        """Returns when an answer was fetched; a failure since has moved only until when it counts as fresh."""
        return entry.usable_until - self._policy.fresh_seconds - self._policy.stale_seconds

    def _slow(self, key: K) -> Unknown:
        return Unknown(because(Code.LOOKUP_SLOW, subject=self._subject(key)))

    def _subject(self, key: K) -> str:
        return f"{self._lookup} {key}"
