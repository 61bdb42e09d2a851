"""The log lines of a review. None carries more of a pod than its name and what was decided."""

import contextlib
import traceback

import structlog

from webhook.admission.answer import Answer
from webhook.admission.review import Request
from webhook.pod.facts import PodFacts

_log = structlog.get_logger()


def log_decision(request: Request, facts: PodFacts, answer: Answer) -> None:
    """Logs what was decided about a pod that asked for it."""
    # A log that cannot be written costs no pod.
    with contextlib.suppress(Exception):
        _log.info(
            "reviewed",
            uid=request.uid,
            namespace=facts.namespace,
            pod=facts.name,
            outcome=answer.outcome,
            reasons=",".join(answer.codes),
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
