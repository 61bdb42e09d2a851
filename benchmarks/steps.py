"""Microseconds of processor time that each step of a review takes, with everything it looks up in memory.

A figure is the best of several rounds: what the code costs where nothing else wants the processor's caches. A step is
measured on the same warm objects again and again, so the steps add up to less than the whole, which takes another pod
each time, has objects to make and to forget, and goes twice through the event loop. Of a template that was seen before,
only the review is decoded and its template found by its essence, the look-ups are asked, and the answer is given its
uid and noted.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import cycle

import msgspec
import uvloop

from benchmarks.result import keep
from benchmarks.reviews import KINDS, reviews
from benchmarks.wired import Wired, serve
from webhook.admission.answer import answer
from webhook.admission.decision import Decision, Outcome
from webhook.admission.essence import Essence, written
from webhook.admission.gate import asked_by_pod, creates_pod
from webhook.admission.journal import Noted, Subject
from webhook.admission.review import Object, Request, read_review
from webhook.admission.templates import Template, Templates
from webhook.admission.unspoken import quiet, values_of
from webhook.patch.builder import build_patch
from webhook.patch.proof import prove
from webhook.plan.decide import decide
from webhook.pod.view import Pod

_ROUNDS = 7
_ROUND_SECONDS = 0.05
# So few that all are remembered, of large pods as well.
_TEMPLATES, _PODS_EACH = 40, 10
# So many that each is forgotten by the time that it comes again.
_TEMPLATES_TOO_MANY = 1_200
_NAMESPACE = "serving"

Steps = dict[str, float]


class Bench:
    """The review path, taken apart."""

    def __init__(self) -> None:
        self._wired = Wired()

    async def measure(self, kind: str) -> Steps:
        """Measures the steps one by one, and whole reviews: of a template's first pod, and of a later one."""
        endpoint = self._wired.endpoint()
        bodies = reviews(kind, _TEMPLATES, _PODS_EACH)
        for body in bodies[:_TEMPLATES]:
            await serve(endpoint, body)
        seen, unseen = cycle(bodies), cycle(reviews(kind, _TEMPLATES_TOO_MANY, 1)[_TEMPLATES:])
        request = read_review(bodies[0])
        pod = request.object or Object()
        template, templates = Template(_NAMESPACE, Essence.of(written(pod))), Templates()
        return {
            "decode": best(lambda: read_review(next(seen))),
            "template": best(lambda: templates.of(request)),
            "essence": best(lambda: Essence.of(written(pod))),
            "view": best(lambda: msgspec.json.decode(bytes(template.essence), type=Pod)),
            "gate": best(lambda: (creates_pod(request), asked_by_pod(template.pod, self._wired.prefix))),
            **(self._measure_pipeline(request, template) if kind != "ignored" else {}),
            "seen before": await best_awaited(lambda: serve(endpoint, next(seen))),
            "first seen": await best_awaited(lambda: serve(endpoint, next(unseen))),
        }

    def _measure_pipeline(self, request: Request, template: Template) -> Steps:
        pipeline, settings = self._wired.pipeline, self._wired.settings
        facts = pipeline.read(template.pod, namespace=_NAMESPACE)
        world = pipeline.known(facts)
        if world is None:
            raise RuntimeError("the caches were to be warm by now")
        plan = decide(facts, world, settings)
        patch = build_patch(facts, plan)
        decision = Decision(
            outcome=Outcome(plan.status), reasons=plan.reasons, patch=msgspec.json.encode(patch), plan=plan.summary
        )
        answered = answer(decision)
        noted = Noted(answered, 0.0, request.uid, template)
        return {
            "facts": best(lambda: pipeline.read(template.pod, namespace=_NAMESPACE)),
            "question": best(lambda: pipeline.known(msgspec.structs.replace(facts))),
            "look-ups": best(lambda: pipeline.known(facts)),
            "plan": best(lambda: decide(facts, world, settings)),
            "patch": best(lambda: msgspec.json.encode(build_patch(facts, plan))),
            "proof": best(lambda: prove(patch, msgspec.json.decode(bytes(template.essence)))),
            "wording": best(lambda: quiet(plan.reasons[0], values_of(template.pod))),
            "answer": best(lambda: answer(decision)),
            "uid": best(lambda: answered.to(request.uid)),
            "metrics": best(lambda: self._wired.metrics.reviews.observe(answered.outcome, answered.codes, 0.0)),
            "log": best(lambda: self._wired.log.write(Subject.POD, [noted])),
        }


def best(step: Callable[[], object]) -> float:
    """Returns the microseconds of one call, from the fastest of several rounds."""
    fastest = float("inf")
    for _ in range(_ROUNDS):
        calls, started = 0, time.thread_time()
        while (elapsed := time.thread_time() - started) < _ROUND_SECONDS:
            for _ in range(20):
                step()
            calls += 20
        fastest = min(fastest, elapsed / calls)
    return fastest * 1e6


async def best_awaited(step: Callable[[], Awaitable[object]]) -> float:
    """Returns the microseconds of one call of a coroutine function, from the fastest of several rounds."""
    fastest = float("inf")
    for _ in range(_ROUNDS):
        calls, started = 0, time.thread_time()
        while (elapsed := time.thread_time() - started) < _ROUND_SECONDS:
            for _ in range(20):
                await step()
            calls += 20
        fastest = min(fastest, elapsed / calls)
    return fastest * 1e6


async def main() -> None:
    """Prints a table, a row for each step and a column for each kind of pod, and keeps the figures."""
    bench = Bench()
    measured = {kind: await bench.measure(kind) for kind in KINDS}
    print("microseconds", *(kind.rjust(9) for kind in measured))
    for step in measured["exec"]:
        figures = (f"{steps[step]:9.1f}" if step in steps else "-".rjust(9) for steps in measured.values())
        print(step.ljust(12), *figures)
    keep(
        "steps",
        {kind: {step.replace(" ", "_"): figure for step, figure in steps.items()} for kind, steps in measured.items()},
    )


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
