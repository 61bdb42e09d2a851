"""From a workload's review to its answer: always allowed, never a patch, and warnings of what its pods will get.

A workload's templates go the way that its pods will go. What they need to be looked up is in memory by then, so the
first pod finds it. Nothing is remembered of the workload itself: it is applied seldom.
"""

import asyncio
import time

import msgspec

from webhook.admission.answer import answer
from webhook.admission.deadline import TooLateError, within
from webhook.admission.decision import Decision, Outcome
from webhook.admission.forecast import Forecast, combined, foresee, warnings
from webhook.admission.gate import (
    NamespaceSource,
    OptIn,
    asked_by_namespace,
    asked_by_pod,
    is_bystander,
    writes_workload,
)
from webhook.admission.journal import log_fault
from webhook.admission.review import Request
from webhook.admission.reviewed import Reviewed, failed_open
from webhook.admission.workload import Workload, read_workload
from webhook.pipeline import Pipeline
from webhook.pod.misplaced import misplaced
from webhook.pod.template import Template
from webhook.pod.view import Pod
from webhook.reasons import Code, because

_NOT_A_WORKLOAD = Reviewed(answer(Decision(outcome=Outcome.IGNORED, reasons=(because(Code.NOT_A_WORKLOAD),))))
# Without a warning: that nothing can be foretold changes nothing for the pods.
_TOO_LATE = failed_open(Code.DEADLINE, warn=False)
_UNREADABLE = failed_open(Code.UNREADABLE_POD, warn=False)
_OUR_FAULT = Reviewed(failed_open(Code.INTERNAL_ERROR, warn=False))


class WorkloadReviewer:
    """Gate, pipeline and warnings, for one request at a time; `deadline_seconds` is that of pods' reviews."""

    def __init__(
        self, pipeline: Pipeline, namespaces: NamespaceSource, *, annotation_prefix: str, deadline_seconds: float
    ) -> None:
        self._pipeline = pipeline
        self._namespaces = namespaces
        self._prefix = annotation_prefix
        self._deadline_seconds = deadline_seconds

    async def review(self, request: Request, size_bytes: int) -> Reviewed:  # noqa: ARG002 (nothing is added to it)
        """Foretells. Never raises, except where it is cancelled."""
        try:
            return await self._review(request)
        except Exception as error:  # noqa: BLE001 (no fault of ours may cost the user a workload)
            log_fault(request, error)
            return _OUR_FAULT

    async def _review(self, request: Request) -> Reviewed:
        if not writes_workload(request):
            return _NOT_A_WORKLOAD
        due = time.monotonic() + self._deadline_seconds
        try:
            workload = read_workload(request)
        except (ValueError, RecursionError):
            return Reviewed(_UNREADABLE, request)
        try:
            forecasts = await asyncio.gather(*(self._foresee(workload, each, due) for each in workload.templates))
        except TooLateError:
            return Reviewed(_TOO_LATE, workload)
        decision = self._conclude(workload, forecasts)
        told = decision.outcome is not Outcome.IGNORED or decision.warnings
        return Reviewed(answer(decision), workload if told else None)

    async def _foresee(self, workload: Workload, template: Template, due: float) -> Forecast:
        try:
            pod = msgspec.convert(template.template, Pod)
        except msgspec.ValidationError:
            return Forecast(outcome=Outcome.FAILED_OPEN, reasons=(because(Code.UNREADABLE_POD),))
        opinion = asked_by_pod(pod, self._prefix)
        if opinion is None:
            opinion = await asked_by_namespace(self._namespaces, workload.namespace, due)
        if isinstance(opinion, Decision):
            problems = opinion.reasons if opinion.warnings else ()
            return Forecast(outcome=opinion.outcome, reasons=opinion.reasons, problems=problems)
        facts = self._pipeline.read(pod, namespace=workload.namespace, ambient=template.ambient)
        if opinion is OptIn.NAMESPACE and is_bystander(facts):
            return Forecast(outcome=Outcome.IGNORED, reasons=facts.skips)
        world = self._pipeline.known(facts)
        if world is None:
            world = await within(due, self._pipeline.find(facts))
        return foresee(self._pipeline.tune(facts, world))

    def _conclude(self, workload: Workload, forecasts: list[Forecast]) -> Decision:
        lost = misplaced(workload.templates, self._prefix)
        placed = [(workload.place(at), each) for at, each in zip(workload.templates, forecasts, strict=True)]
        return Decision(
            outcome=combined(each.outcome for each in forecasts),
            reasons=(*lost, *(reason for each in forecasts for reason in each.reasons)),
            warnings=(*(reason.text for reason in lost), *warnings(placed)),
        )
