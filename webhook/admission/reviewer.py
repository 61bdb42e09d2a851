"""From a request to its answer. Whatever goes wrong on the way, the answer is: allowed, as it was."""

import time

import msgspec

from webhook.admission.answer import Answer, answer
from webhook.admission.deadline import TooLateError, within
from webhook.admission.decision import Decision, Outcome
from webhook.admission.gate import (
    NamespaceSource,
    OptIn,
    asked_by_namespace,
    asked_by_pod,
    creates_pod,
    heard_from,
    is_bystander,
)
from webhook.admission.journal import log_fault
from webhook.admission.review import Request
from webhook.admission.reviewed import Reviewed, failed_open
from webhook.admission.templates import Answered, Template, Templates
from webhook.admission.unspoken import quiet, values_of
from webhook.lookup.facts import World
from webhook.patch.operation import Operation
from webhook.patch.proof import prove
from webhook.pipeline import Pipeline, Tuned
from webhook.plan.types import Status
from webhook.pod.facts import PodFacts
from webhook.reasons import Code, Reason, because

# etcd takes 1.5 MiB by default (its `max-request-bytes`), and a pod that is larger is refused. What the API server adds
# after us, such as the managed fields, takes up the rest. The whole review counts, which is a little more than its pod.
_LARGEST_POD_BYTES = 1024**2

_json_encoder = msgspec.json.Encoder()
_json_decoder = msgspec.json.Decoder()


_NOT_A_POD_CREATION = Reviewed(answer(Decision(outcome=Outcome.IGNORED, reasons=(because(Code.NOT_A_POD_CREATION),))))
_TOO_LATE = failed_open(Code.DEADLINE, warn=True)
_UNREADABLE_POD = failed_open(Code.UNREADABLE_POD, warn=True)
_TOO_LARGE = failed_open(Code.POD_TOO_LARGE, warn=True)
# Not told of again: a fault has its own line in the log.
_OUR_FAULT = Reviewed(failed_open(Code.INTERNAL_ERROR, warn=True))


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

    async def review(self, request: Request, size_bytes: int) -> Reviewed:
        """Decides on a request in a review of this size. Never raises, except where it is cancelled."""
        try:
            if not creates_pod(request):
                return _NOT_A_POD_CREATION
            template = self._template_of(request)
            if template is None:
                return Reviewed(_UNREADABLE_POD, request)
            reviewed = self._as_before(template) or await self._decide(template)
            patch_bytes = reviewed.answer.patch_bytes
            if patch_bytes and size_bytes + patch_bytes > _LARGEST_POD_BYTES:
                return Reviewed(_TOO_LARGE, template)
        except Exception as error:  # noqa: BLE001 (no fault of ours may cost the user a pod)
            log_fault(request, error)
            return _OUR_FAULT
        else:
            return reviewed

    def _template_of(self, request: Request) -> Template | None:
        try:
            return self._templates.of(request)
        except (ValueError, RecursionError):
            return None

    def _as_before(self, template: Template) -> Reviewed | None:
        """Gives the template's last answer again, where the look-ups say what they said then; it waits for nothing.

        What the namespace asked for is among that.
        """
        before = template.answered
        if before is not None and before.holds_in(self._pipeline.known(before.facts)):
            return Reviewed(before.answer, template)
        # Forgotten, so that nothing is looked up for a namespace that asks no more.
        template.answered = None
        return None

    async def _decide(self, template: Template) -> Reviewed:
        try:
            return await self._decide_within(template, time.monotonic() + self._deadline_seconds)
        except TooLateError:
            return Reviewed(_TOO_LATE, template)

    async def _decide_within(self, template: Template, due: float) -> Reviewed:
        opinion = asked_by_pod(template.pod, self._prefix)
        if opinion is None:
            opinion = await asked_by_namespace(self._namespaces, template.namespace, due)
        if isinstance(opinion, Decision):
            # A pod that asked in words that are not understood is told of as well.
            return Reviewed(answer(opinion), template if opinion.warnings else None)
        facts = self._facts_of(template)
        if opinion is OptIn.NAMESPACE and is_bystander(facts):
            return Reviewed(answer(Decision(outcome=Outcome.IGNORED, reasons=facts.skips)))
        # Memory first: the usual review waits for nothing and starts no timer.
        world = self._pipeline.known(facts)
        if world is None:
            world = await within(due, self._pipeline.find(facts))
            # The namespace may have opted out meanwhile: an answer is given again wherever its world is.
            if opinion is OptIn.NAMESPACE and isinstance(late := heard_from(world.namespace), Decision):
                return Reviewed(answer(late))
        return Reviewed(self._answer_in(world, template, facts), template)

    def _facts_of(self, template: Template) -> PodFacts:
        if template.facts is None:
            template.facts = self._pipeline.read(template.pod, namespace=template.namespace)
        return template.facts

    def _answer_in(self, world: World, template: Template, facts: PodFacts) -> Answer:
        before = template.answered
        # Another pod of the template may have waited for the same.
        if before is not None and before.holds_in(world):
            return before.answer
        answered = Answered(facts, world, answer(_conclude(template, self._pipeline.tune(facts, world))))
        template.remember(answered)
        return answered.answer


def _conclude(template: Template, tuned: Tuned) -> Decision:
    values = values_of(template.pod)
    # All of them are said of a pod that is left alone; of another, the first one.
    said = len(tuned.plan.reasons) if tuned.plan.status is Status.SKIPPED else 1
    quieted = tuple(quiet(reason, values) for reason in tuned.plan.reasons[:said])
    skipped: tuple[Reason, ...] = quieted if tuned.plan.status is Status.SKIPPED else ()
    unchanged = not tuned.patch and tuned.facts.annotations.status_present
    return Decision(
        outcome=Outcome.UNCHANGED if unchanged else Outcome(tuned.plan.status),
        reasons=(*quieted, *tuned.plan.reasons[said:]),
        warnings=tuple(reason.text for reason in (*tuned.facts.annotations.problems, *skipped)),
        patch=_encode_proven(tuned.patch, template) if tuned.patch else None,
        plan=tuned.plan.summary,
    )


def _encode_proven(operations: tuple[Operation, ...], template: Template) -> bytes:
    encoded = _json_encoder.encode(operations)
    prove(operations, _json_decoder.decode(bytes(template.essence)))
    return encoded
