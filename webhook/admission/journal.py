"""What is told of reviews: metrics and lines of log. None carries more of a pod than its name and what was decided."""

import asyncio
import contextlib
import time
import traceback
from collections.abc import Sequence
from enum import StrEnum
from http import HTTPStatus
from typing import Protocol

import msgspec
import structlog

from webhook.admission.answer import Answer, answer
from webhook.admission.decision import Decision, Outcome
from webhook.admission.review import Request
from webhook.admission.reviewed import Named
from webhook.reasons import Code

_log = structlog.get_logger()
# Whoever sends what is no review may send a lot of it: a line for each kind in so many seconds.
_QUIET_SECONDS = 10.0
# Stands for the status code that was sent instead of an answer.
_REFUSED = answer(Decision(outcome=Outcome.REFUSED))


class Observer(Protocol):
    """Who counts reviews. Labels come from enumerations only."""

    def observe(self, outcome: Outcome, reasons: tuple[Code, ...], seconds: float) -> None:
        """Notes one answered request, and the seconds from its first byte to its answer."""


class Noted(msgspec.Struct, frozen=True, gc=False):
    """One review: its answer, the seconds that took, its uid, and what was reviewed where the log is to tell of it."""

    answer: Answer
    seconds: float
    uid: str = ""
    told: Named | None = None


class Subject(StrEnum):
    """What is reviewed: the key of its name in the log."""

    POD = "pod"
    WORKLOAD = "workload"


class ReviewLog(Protocol):
    """Who writes lines of log for reviews."""

    def write(self, subject: Subject, reviews: Sequence[Noted]) -> None:
        """Writes a line of information for each review that is told of."""


class StructuredLog:
    """Writes lines the way that all others are written."""

    def write(self, subject: Subject, reviews: Sequence[Noted]) -> None:
        """Writes a line of information for each review that is told of."""
        for each in reviews:
            if each.told is not None:
                named = {"uid": each.uid, "namespace": each.told.namespace, subject.value: each.told.name}
                _log.info("reviewed", **named, outcome=each.answer.outcome, reasons=each.answer.reasons)


class Journal:
    """Counts and logs reviews after they were answered, those of one turn of the event loop together.

    So no review waits for a lock or a line of log, and a burst of them costs less.
    """

    def __init__(self, observer: Observer, log: ReviewLog, *, subject: Subject = Subject.POD) -> None:
        self._observer = observer
        self._log = log
        self._subject = subject
        self._reviews: list[Noted] = []
        # When each status was last logged, by the monotonic clock.
        self._refusals: dict[HTTPStatus, float] = {}

    def note(self, review: Noted) -> None:
        """Takes note of one answered request."""
        if not self._reviews:
            asyncio.get_running_loop().call_soon(self._write)
        self._reviews.append(review)

    def note_refused(self, status: HTTPStatus, seconds: float) -> None:
        """Takes note of one request that was no review; what it said is not told."""
        self.note(Noted(_REFUSED, seconds))
        now = time.monotonic()
        if now - self._refusals.get(status, -_QUIET_SECONDS) >= _QUIET_SECONDS:
            self._refusals[status] = now
            with contextlib.suppress(Exception):
                _log.warning("refused", status=int(status), problem=status.phrase.lower())

    def _write(self) -> None:
        reviews, self._reviews = self._reviews, []
        # Reviews that cannot be counted, or lines that cannot be written, cost nothing else.
        with contextlib.suppress(Exception):
            for each in reviews:
                self._observer.observe(each.answer.outcome, each.answer.codes, each.seconds)
        with contextlib.suppress(Exception):
            self._log.write(self._subject, reviews)


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
