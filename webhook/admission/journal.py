"""What is told of reviews: metrics and lines of log. None carries more of a pod than its name and what was decided."""

import asyncio
import contextlib
import time
import traceback
from collections.abc import Sequence
from http import HTTPStatus
from typing import Protocol

import msgspec
import structlog

from webhook.admission.answer import Answer
from webhook.admission.decision import Outcome
from webhook.admission.review import Request
from webhook.admission.reviewed import Named
from webhook.reasons import Code

_log = structlog.get_logger()
# The fields of a line of log.
Line = dict[str, str | None]
# Whoever sends what is no review may send a lot of it: a line for each kind in so many seconds.
_QUIET_SECONDS = 10.0


class Observer(Protocol):
    """Who counts reviews. Labels come from enumerations only."""

    def observe(self, outcome: Outcome, reasons: tuple[Code, ...], seconds: float) -> None:
        """Notes one answered request, and the seconds from its first byte to its answer."""


class Decided(msgspec.Struct, frozen=True, gc=False):
    """What the log tells of one review: its uid, what was reviewed, and the answer."""

    uid: str
    told: Named
    answer: Answer

    def line(self, subject: str) -> Line:
        """Returns the fields of its line; `subject` is the key of the name of what was reviewed."""
        return {
            "uid": self.uid,
            "namespace": self.told.namespace,
            subject: self.told.name,
            "outcome": self.answer.outcome,
            "reasons": ",".join(self.answer.codes),
        }


class ReviewLog(Protocol):
    """Who writes lines of log for reviews."""

    def write(self, event: str, lines: Sequence[Line]) -> None:
        """Writes lines of information, each with its fields and what happened."""


class StructuredLog:
    """Writes lines the way that all others are written."""

    def write(self, event: str, lines: Sequence[Line]) -> None:
        """Writes lines of information, each with its fields and what happened."""
        for line in lines:
            _log.info(event, **line)


class _Entry(msgspec.Struct, frozen=True, gc=False):
    outcome: Outcome
    codes: tuple[Code, ...]
    seconds: float
    decided: Decided | None


class Journal:
    """Counts and logs reviews after they were answered, those of one turn of the event loop together.

    So no review waits for a lock or a line of log, and a burst of them costs less. `subject` is what is reviewed, and
    the key of its name in the log.
    """

    def __init__(self, observer: Observer, log: ReviewLog, *, subject: str) -> None:
        self._observer = observer
        self._log = log
        self._subject = subject
        self._entries: list[_Entry] = []
        # When each status was last logged, by the monotonic clock.
        self._refusals: dict[HTTPStatus, float] = {}

    def note(self, outcome: Outcome, codes: tuple[Code, ...], seconds: float, decided: Decided | None = None) -> None:
        """Takes note of one answered request."""
        if not self._entries:
            asyncio.get_running_loop().call_soon(self._write)
        self._entries.append(_Entry(outcome, codes, seconds, decided))

    def note_refused(self, status: HTTPStatus, seconds: float) -> None:
        """Takes note of one request that was no review; what it said is not told."""
        self.note(Outcome.REFUSED, (), seconds)
        now = time.monotonic()
        if now - self._refusals.get(status, -_QUIET_SECONDS) >= _QUIET_SECONDS:
            self._refusals[status] = now
            with contextlib.suppress(Exception):
                _log.warning("refused", status=int(status), problem=status.phrase.lower())

    def _write(self) -> None:
        entries, self._entries = self._entries, []
        # Reviews that cannot be counted, or lines that cannot be written, cost nothing else.
        with contextlib.suppress(Exception):
            for entry in entries:
                self._observer.observe(entry.outcome, entry.codes, entry.seconds)
        with contextlib.suppress(Exception):
            lines = [entry.decided.line(self._subject) for entry in entries if entry.decided is not None]
            if lines:
                self._log.write("reviewed", lines)


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
