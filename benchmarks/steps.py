"""Microseconds that each step of a review takes, with everything it looks up in memory.

Run it as `python -m benchmarks.steps`. A figure is the best of several rounds: what the code costs where nothing else
wants the processor. A step is measured on the same warm objects again and again, so the steps add up to less than the
whole, which starts from bytes each time. Log lines are left out.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence

import msgspec
import structlog

from benchmarks.reviews import reviews
from webhook.admission.answer import answer
from webhook.admission.decision import Outcome
from webhook.admission.endpoint import Message, ReviewEndpoint
from webhook.admission.review import read_pod_view, read_review
from webhook.admission.reviewer import Reviewer
from webhook.admission.settings import AdmissionSettings
from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.cluster import NoCluster
from webhook.lookup.facts import Shards
from webhook.lookup.listing import Listing, declared
from webhook.lookup.settings import LookupSettings
from webhook.lookup.stores import NamespaceRules
from webhook.lookup.world import LiveWorld
from webhook.patch.builder import build_patch
from webhook.patch.proof import prove
from webhook.pipeline import Pipeline
from webhook.plan.decide import decide
from webhook.plan.settings import PlanSettings
from webhook.pod.settings import PodSettings
from webhook.reasons import Code

_ROUNDS = 7
_ROUND_SECONDS = 0.05
_GIB = 1024**3

Steps = dict[str, float]


async def list_shards(_listing: Listing) -> Shards:
    """Stands for S3: the published model's 17 shards."""
    return declared(17, 67 * _GIB)


class Uncounted:
    """Observes nothing."""

    def observe(self, outcome: Outcome, reasons: Sequence[Code], seconds: float) -> None:
        """Observes nothing."""


class Bench:
    """The parts of the review path, wired as the server wires them, with logs filtered out."""

    def __init__(self) -> None:
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
        self.settings = PlanSettings()
        self.world = LiveWorld(LookupSettings(), load_catalogue(), NoCluster(NamespaceRules()), list_shards)
        self.pipeline = Pipeline(PodSettings(), self.settings, self.world)
        self.reviewer = Reviewer(
            self.pipeline, self.world, annotation_prefix=PodSettings().annotation_prefix, deadline_seconds=3.0
        )
        self.endpoint = ReviewEndpoint(self.reviewer, AdmissionSettings(), Uncounted())

    async def measure(self, body: bytes) -> Steps:
        """Measures the steps one by one, and the endpoint as a whole."""
        request = read_review(body)
        decision, _ = await self.reviewer.review(request)  # fills the caches
        steps = {"decode": best(lambda: read_pod_view(read_review(body)))}
        if decision.outcome is not Outcome.IGNORED:
            steps |= self._measure_pipeline(body)
        steps["answer"] = best(lambda: answer(request.uid, decision))
        steps["whole"] = await best_awaited(lambda: self._serve(body))
        return steps

    def _measure_pipeline(self, body: bytes) -> Steps:
        request = read_review(body)
        pod = read_pod_view(request)
        facts = self.pipeline.read(pod, namespace="serving")
        world = self.world.known(facts)
        if world is None:
            raise RuntimeError("the caches were to be warm by now")
        plan = decide(facts, world, self.settings)
        patch = build_patch(facts, plan)
        return {
            "facts": best(lambda: self.pipeline.read(pod, namespace="serving")),
            "look-ups": best(lambda: self.world.known(facts)),
            "plan": best(lambda: decide(facts, world, self.settings)),
            "patch": best(lambda: msgspec.json.encode(build_patch(facts, plan))),
            "proof": best(lambda: prove(patch, msgspec.json.decode(request.object))),
        }

    async def _serve(self, body: bytes) -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(_message: Message) -> None:
            pass

        headers = [(b"host", b"fastload"), (b"content-type", b"application/json")]
        await self.endpoint({"type": "http", "method": "POST", "path": "/mutate", "headers": headers}, receive, send)


def best(step: Callable[[], object]) -> float:
    """Returns the microseconds of one call, from the fastest of several rounds."""
    fastest = float("inf")
    for _ in range(_ROUNDS):
        calls, started = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - started) < _ROUND_SECONDS:
            for _ in range(20):
                step()
            calls += 20
        fastest = min(fastest, elapsed / calls)
    return fastest * 1e6


async def best_awaited(step: Callable[[], Awaitable[object]]) -> float:
    """Returns the microseconds of one call of a coroutine function, from the fastest of several rounds."""
    fastest = float("inf")
    for _ in range(_ROUNDS):
        calls, started = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - started) < _ROUND_SECONDS:
            for _ in range(20):
                await step()
            calls += 20
        fastest = min(fastest, elapsed / calls)
    return fastest * 1e6


async def main() -> None:
    """Prints a table: a row for each pod, a column for each step."""
    bench = Bench()
    rows = {name: await bench.measure(body) for name, body in reviews().items()}
    columns = list(next(iter(rows.values())))
    print("microseconds".ljust(14), *(column.rjust(9) for column in columns))
    for name, steps in rows.items():
        print(name.ljust(14), *(f"{steps[column]:9.1f}" if column in steps else "-".rjust(9) for column in columns))


if __name__ == "__main__":
    asyncio.run(main())
