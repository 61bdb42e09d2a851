"""What the look-ups tell whoever counts them. Every word is enumerated, so a metric's labels stay few."""

import contextlib
from enum import StrEnum
from typing import Protocol


class Lookup(StrEnum):
    """What was looked up."""

    MODEL = "model"
    NAMESPACE = "namespace"


class Memory(StrEnum):
    """Whether memory had the answer: fresh, stale (served while a new one is fetched), or not at all."""

    HIT = "hit"
    STALE = "stale"
    MISS = "miss"


class Outcome(StrEnum):
    """How a look-up that left memory ended; `late` is for each review that stopped waiting for one."""

    FOUND = "found"
    UNKNOWN = "unknown"
    LATE = "late"


class Observer(Protocol):
    """Counts look-ups; called on the event loop, so it must not block."""

    def count_lookup(self, lookup: Lookup, outcome: Outcome, seconds: float) -> None:
        """Counts one look-up that left memory."""

    def count_cache(self, lookup: Lookup, result: Memory) -> None:
        """Counts one question to a look-up's memory."""

    def count_stale(self, lookup: Lookup, age_seconds: float) -> None:
        """Counts how old an answer was that was served stale."""


class Unobserved:
    """Counts nothing."""

    def count_lookup(self, lookup: Lookup, outcome: Outcome, seconds: float) -> None:
        """Counts nothing."""

    def count_cache(self, lookup: Lookup, result: Memory) -> None:
        """Counts nothing."""

    def count_stale(self, lookup: Lookup, age_seconds: float) -> None:
        """Counts nothing."""


class Harmless:
    """Counts with another, and goes on where that raises: no review may fail because it could not be counted."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def count_lookup(self, lookup: Lookup, outcome: Outcome, seconds: float) -> None:
        """Counts one look-up that left memory."""
        with contextlib.suppress(Exception):
            self._observer.count_lookup(lookup, outcome, seconds)

    def count_cache(self, lookup: Lookup, result: Memory) -> None:
        """Counts one question to a look-up's memory."""
        try:  # noqa: SIM105 (each review comes here, and this is cheaper)
            self._observer.count_cache(lookup, result)
        except Exception:  # noqa: BLE001, S110 (see above)
            pass

    def count_stale(self, lookup: Lookup, age_seconds: float) -> None:
        """Counts how old an answer was that was served stale."""
        with contextlib.suppress(Exception):
            self._observer.count_stale(lookup, age_seconds)
