"""What a reviewer hands to the endpoint: an answer, and whose it is where the log is to tell of it."""

from typing import Protocol

import msgspec

from webhook.admission.answer import Answer, answer
from webhook.admission.decision import Decision, Outcome
from webhook.admission.review import Request
from webhook.reasons import Code, because


class Named(Protocol):
    """An object that was reviewed, as it is found again in the cluster."""

    @property
    def namespace(self) -> str | None:
        """Its namespace."""

    @property
    def name(self) -> str | None:
        """Its name, or what the API server makes one from."""


class Reviewed(msgspec.Struct, frozen=True):
    """An answer, and what was reviewed where it asked for fastload or something went wrong."""

    answer: Answer
    told: Named | None = None


class Reviewing(Protocol):
    """Who answers reviews."""

    async def review(self, request: Request, size_bytes: int) -> Reviewed:
        """Decides on a request in a review of this size. Never raises, except where it is cancelled."""


def failed_open(code: Code, *, warn: bool) -> Answer:
    """Builds the answer to a review that failed: allowed, as it was."""
    reason = because(code)
    warnings = (reason.text,) if warn else ()
    return answer(Decision(outcome=Outcome.FAILED_OPEN, reasons=(reason,), warnings=warnings))
