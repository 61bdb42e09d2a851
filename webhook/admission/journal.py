"""What is told of reviews: metrics and lines of log. None carries more of a pod than its name and what was decided."""

import asyncio
import contextlib
import traceback
from collections.abc import Sequence
from typing import Protocol

import msgspec
import structlog

from webhook.admission.answer import Answer
from webhook.admission.decision import Outcome
from webhook.admission.review import Request
from webhook.pod.facts import PodFacts
from webhook.reasons import Code

_log = structlog.get_logger()


class Observer(Protocol):
    """Who counts reviews. Labels come from enumerations only."""

    def observe(self, outcome: Outcome, reasons: Sequence[Code], seconds: float) -> None:
        """Notes one answered request, and the seconds from its first byte to its answer."""


class Decided(msgspec.Struct, frozen=True):
    """A pod that was ours to decide about: the uid of its review, what it is, and its answer."""

    uid: str
    facts: PodFacts
    answer: Answer


class _Entry(msgspec.Struct, frozen=True):
    outcome: Outcome
    codes: tuple[Code, ...]
    seconds: float
    decided: Decided | None


class Journal:
    """Counts and logs reviews after they were answered, those of one turn of the event loop together.

    So no review waits for a lock or a line of log, and a burst of them costs less.
    """

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._entries: list[_Entry] = []

    def note(self, outcome: Outcome, codes: tuple[Code, ...], seconds: float, decided: Decided | None = None) -> None:
        """Takes note of one answered request."""
        if not self._entries:
            asyncio.get_running_loop().call_soon(self._write)
        self._entries.append(_Entry(outcome, codes, seconds, decided))

    def _write(self) -> None:
        entries, self._entries = self._entries, []
        for entry in entries:
            # A metric that cannot be counted, or a line that cannot be written, costs nothing else.
            with contextlib.suppress(Exception):
                self._observer.observe(entry.outcome, entry.codes, entry.seconds)
        for entry in entries:
            if entry.decided is not None:
                with contextlib.suppress(Exception):
                    _log_decision(entry.decided)


def _log_decision(decided: Decided) -> None:
    _log.info(
        "reviewed",
        uid=decided.uid,
        namespace=decided.facts.namespace,
        pod=decided.facts.name,
        outcome=decided.answer.outcome,
        reasons=",".join(decided.answer.codes),
    )


def log_fault(request: Request, error: Exception) -> None:
    """Logs what broke and where; never the error's message, which may quote the pod."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    with contextlib.suppress(Exception):
        _log.error(
            "review failed open",
            uid=request.uid,
            namespace=request.namespace,
            error=type(error).__name__,
            at=f"{frame.filename}:{frame.lineno}",
        )
