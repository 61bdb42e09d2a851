"""From a request to its answer. Whatever goes wrong on the way, the answer is: allowed, as it was."""

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

import msgspec

from webhook.admission.answer import Answer, answer
from webhook.admission.decision import Decision, Outcome
from webhook.admission.gate import NamespaceSource, OptIn, asked_by_namespace, asked_by_pod, creates_pod
from webhook.admission.journal import log_fault
from webhook.admission.review import Request
from webhook.admission.templates import Template, Templates
from webhook.lookup.facts import World
from webhook.patch.operation import Operation
from webhook.patch.proof import prove
from webhook.pipeline import Pipeline, Tuned
from webhook.plan.types import Status
from webhook.pod.facts import PodFacts
from webhook.reasons import Code, Reason, because

_T = TypeVar("_T")

# etcd takes 1.5 MiB by default (its `max-request-bytes`), and a pod that is larger is refused. What the API server adds
# after us, such as the managed fields, takes up the rest.
_LARGEST_POD_BYTES = 1024**2

_json_encoder = msgspec.json.Encoder()
_json_decoder = msgspec.json.Decoder()


class Reviewed(msgspec.Struct, frozen=True):
    """An answer, and the template of the pod where it asked for fastload."""

    answer: Answer
    template: Template | None = None


def _failed_open(code: Code) -> Reviewed:
    reason = because(code)
    return Reviewed(answer(Decision(outcome=Outcome.FAILED_OPEN, reasons=(reason,), warnings=(reason.text,))))


_NOT_A_POD_CREATION = Reviewed(answer(Decision(outcome=Outcome.IGNORED, reasons=(because(Code.NOT_A_POD_CREATION),))))
_TOO_LATE = _failed_open(Code.DEADLINE)
_UNREADABLE_POD = _failed_open(Code.UNREADABLE_POD)
_TOO_LARGE = _failed_open(Code.POD_TOO_LARGE)
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

    async def review(self, request: Request) -> Reviewed:
        """Decides. Never raises, except where it is cancelled."""
        try:
            return await self._decide(request)
        except _TooLateError:
            return _TOO_LATE
        except Exception as error:  # noqa: BLE001 (no fault of ours may cost the user a pod)
            log_fault(request, error)
            return _OUR_FAULT

    async def _decide(self, request: Request) -> Reviewed:
        if not creates_pod(request):
            return _NOT_A_POD_CREATION
        due = time.monotonic() + self._deadline_seconds
        try:
            template = self._templates.of(request)
        except (ValueError, RecursionError):
            return _UNREADABLE_POD
        opinion = asked_by_pod(template.pod, self._prefix)
        if opinion is None:
            opinion = await self._asked_by_namespace(template.namespace, due)
        if isinstance(opinion, Decision):
            # A pod that asked in words that are not understood is told of as well.
            return Reviewed(answer(opinion), template if opinion.warnings else None)
        facts = self._facts_of(template)
        if opinion is OptIn.NAMESPACE and _is_bystander(facts):
            return Reviewed(answer(Decision(outcome=Outcome.IGNORED, reasons=facts.skips)))
        # Memory first: the usual review waits for nothing and starts no timer.
        world = self._pipeline.known(facts)
        if world is None:
            world = await _within(due, self._pipeline.find(facts))
        answered = self._answer_in(world, template, facts)
        if answered.patch_bytes and len(request.object) + answered.patch_bytes > _LARGEST_POD_BYTES:
            return _TOO_LARGE
        return Reviewed(answered, template)

    def _facts_of(self, template: Template) -> PodFacts:
        if template.facts is None:
            template.facts = self._pipeline.read(template.pod, namespace=template.namespace)
        return template.facts

    def _answer_in(self, world: World, template: Template, facts: PodFacts) -> Answer:
        known = template.answered
        if known is not None and known.world == world:
            return known.answer
        answered = answer(_conclude(template, self._pipeline.tune(facts, world)))
        template.remember(world, answered)
        return answered

    async def _asked_by_namespace(self, name: str, due: float) -> OptIn | Decision:
        namespace = self._namespaces.known_namespace(name)
        if namespace is None:
            namespace = await _within(due, self._namespaces.find_namespace(name))
        return asked_by_namespace(namespace)


async def _within(due: float, awaitable: Awaitable[_T]) -> _T:
    """Awaits until the monotonic clock says `due`.

    Raises:
        _TooLateError: it took longer. A TimeoutError of the awaitable's own is passed on as it is.
    """
    timeout = asyncio.timeout(due - time.monotonic())
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
