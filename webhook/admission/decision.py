"""What is decided about one review, before it becomes an answer."""

from enum import StrEnum

import msgspec

from webhook.reasons import Code, Reason


class Outcome(StrEnum):
    """What became of a request: the label of logs and metrics."""

    INJECTED = "injected"
    PARTIAL = "partial"
    SKIPPED = "skipped"
    # Opted in, and nothing left to add: the second pass over a pod.
    UNCHANGED = "unchanged"
    # Not ours to touch: no pod creation, or not opted in.
    IGNORED = "ignored"
    # Our own fault, a deadline, or a pod that cannot be read or must not grow: it goes on as it was.
    FAILED_OPEN = "failed-open"
    # Not a review that could be answered; the status code said so.
    REFUSED = "refused"


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome with its grounds; `patch` is the encoded JSON patch, None where there is nothing to change."""

    outcome: Outcome
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[str, ...] = ()
    patch: bytes | None = None
    # One line of JSON: the plan's summary.
    plan: str = ""

    @property
    def codes(self) -> tuple[Code, ...]:
        """The reasons' words, each once."""
        return tuple(dict.fromkeys(reason.code for reason in self.reasons))
