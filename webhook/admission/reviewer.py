"""From a request to its answer. Whatever goes wrong on the way, the answer is: allowed, as it was."""

import asyncio
import contextlib
import traceback
from collections.abc import Awaitable
from typing import TypeVar

import msgspec
import structlog

from webhook.admission.answer import Answer, answer
from webhook.admission.decision import Decision, Outcome
from webhook.admission.gate import NamespaceSource, OptIn, asked_by_namespace, asked_by_pod, creates_pod
from webhook.admission.review import Request
from webhook.admission.templates import Answered, Template, Templates
from webhook.lookup.facts import World
from webhook.patch.operation import Operation
from webhook.patch.proof import prove
from webhook.pipeline import Pipeline, Tuned
from webhook.plan.types import Status
from webhook.pod.facts import PodFacts
from webhook.reasons import Code, Reason, because

_T = TypeVar("_T")

_log = structlog.get_logger()
_json_encoder = msgspec.json.Encoder()
_json_decoder = msgspec.json.Decoder()


def _failed_open(code: Code) -> Answer:
    reason = because(code)
    return answer(Decision(outcome=Outcome.FAILED_OPEN, reasons=(reason,), warnings=(reason.text,)))


_NOT_A_POD_CREATION = answer(Decision(outcome=Outcome.IGNORED, reasons=(because(Code.NOT_A_POD_CREATION),)))
_TOO_LATE = _failed_open(Code.DEADLINE)
_UNREADABLE_POD = _failed_open(Code.UNREADABLE_POD)
_OUR_FAULT = _failed_open(Code.INTERNAL_ERROR)


class _TooLateError(Exception):
    """The deadline of the whole review has passed."""


class Reviewer:
    """Gate, pipeline and answer, for one request at a time.

    `deadline_seconds` is the last resort: above the look-ups' own deadline, which leaves out what is not known in time,
    and below the webhook's `timeoutSeconds`.
    """

    def __init__(
        self, pipeline: Pipeline, namespaces: NamespaceSource, *, annotation_prefix: str, deadline_seconds: float
    ) -> None:
        self._pipeline = pipeline
        self._namespaces = namespaces
        self._prefix = annotation_prefix
        self._deadline_seconds = deadline_seconds
        self._templates = Templates()

    async def review(self, request: Request) -> Answer:
        """Decides. Never raises, except where it is cancelled."""
        try:
            return await self._decide(request)
        except _TooLateError:
            return _TOO_LATE
        except Exception as error:  # noqa: BLE001 (no fault of ours may cost the user a pod)
            _log_fault(request, error)
            return _OUR_FAULT

    async def _decide(self, request: Request) -> Answer:
        if not creates_pod(request):
            return _NOT_A_POD_CREATION
        due = asyncio.get_running_loop().time() + self._deadline_seconds
        try:
            template = self._templates.of(request)
        except (ValueError, RecursionError):
            return _UNREADABLE_POD
        opinion = asked_by_pod(template.pod, self._prefix) or await self._asked_by_namespace(template.namespace, due)
        if isinstance(opinion, Decision):
            return answer(opinion)
        facts = self._facts_of(template)
        if opinion is OptIn.NAMESPACE and _is_bystander(facts):
            return answer(Decision(outcome=Outcome.IGNORED, reasons=facts.skips))
        # Memory first: the usual review waits for nothing and starts no timer.
        world = self._pipeline.known(facts)
        if world is None:
            world = await _within(due, self._pipeline.find(facts))
        given = self._answer_in(world, template, facts)
        # Once the answer is on its way: nobody waits for a line of log to be written.
        asyncio.get_running_loop().call_soon(_log_decision, request.uid, facts, given)
        return given

    def _facts_of(self, template: Template) -> PodFacts:
        if template.facts is None:
            template.facts = self._pipeline.read(template.pod, namespace=template.namespace)
        return template.facts

    def _answer_in(self, world: World, template: Template, facts: PodFacts) -> Answer:
        if template.answered is None or template.answered.world != world:
            decision = _conclude(template, self._pipeline.tune(facts, world))
            template.answered = Answered(world, answer(decision))
        return template.answered.answer

    async def _asked_by_namespace(self, name: str, due: float) -> OptIn | Decision:
        namespace = self._namespaces.known_namespace(name)
        if namespace is None:
            namespace = await _within(due, self._namespaces.find_namespace(name))
        return asked_by_namespace(namespace)


async def _within(due: float, awaitable: Awaitable[_T]) -> _T:
    """Awaits until the loop's clock says `due`.

    Raises:
        _TooLateError: it took longer. A TimeoutError of the awaitable's own is passed on as it is.
    """
    timeout = asyncio.timeout_at(due)
    try:
        async with timeout:
            return await awaitable
    except TimeoutError:
        if timeout.expired():
            raise _TooLateError from None
        raise


def _is_bystander(facts: PodFacts) -> bool:
    """Whether no engine is to be seen in the pod: in a namespace that opted in as a whole such pods stay unmarked."""
    return facts.launch is None and all(skip.code is not Code.SEVERAL_ENGINES for skip in facts.skips)


def _conclude(template: Template, tuned: Tuned) -> Decision:
    skipped: tuple[Reason, ...] = tuned.plan.reasons if tuned.plan.status is Status.SKIPPED else ()
    unchanged = not tuned.patch and tuned.facts.annotations.status_present
    return Decision(
        outcome=Outcome.UNCHANGED if unchanged else Outcome(tuned.plan.status),
        reasons=tuned.plan.reasons,
        warnings=tuple(reason.text for reason in (*tuned.facts.annotations.problems, *skipped)),
        patch=_encode_proven(tuned.patch, template) if tuned.patch else None,
        plan=tuned.plan.summary,
    )


def _encode_proven(operations: tuple[Operation, ...], template: Template) -> bytes:
    encoded = _json_encoder.encode(operations)
    prove(operations, _json_decoder.decode(template.essence))
    return encoded


def _log_decision(uid: str, facts: PodFacts, given: Answer) -> None:
    # A log that cannot be written costs no pod either.
    with contextlib.suppress(Exception):
        _log.info(
            "reviewed",
            uid=uid,
            namespace=facts.namespace,
            pod=facts.name,
            outcome=given.outcome,
            reasons=",".join(given.codes),
        )


def _log_fault(request: Request, error: Exception) -> None:
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
