"""Microseconds that each step of a review takes, with everything it looks up in memory.

A figure is the best of several rounds: what the code costs where nothing else wants the processor. A step is measured
on the same warm objects again and again, so the steps add up to less than the whole, which takes another pod each time.
Of a template that was seen before, only the essence and the look-ups are made again. Log lines are left out.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import cycle

import msgspec
import structlog

from benchmarks.result import keep
from benchmarks.reviews import KINDS, reviews
from webhook.admission.asgi import Message
from webhook.admission.decision import Outcome
from webhook.admission.endpoint import ReviewEndpoint
from webhook.admission.essence import essence_of
from webhook.admission.journal import Journal, StructuredLog
from webhook.admission.review import read_review
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
from webhook.pod.view import Pod
from webhook.reasons import Code

_ROUNDS = 7
_ROUND_SECONDS = 0.05
_GIB = 1024**3
_TEMPLATES, _PODS_EACH = 200, 10
# So many that each is forgotten by the time that it comes again.
_TEMPLATES_TOO_MANY = 3_000

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

    def endpoint(self) -> ReviewEndpoint:
        """Returns an endpoint that has seen no pod yet; the look-ups are shared."""
        prefix = PodSettings().annotation_prefix
        reviewer = Reviewer(self.pipeline, self.world, annotation_prefix=prefix, deadline_seconds=3.0)
        return ReviewEndpoint(reviewer, AdmissionSettings(), Journal(Uncounted(), StructuredLog(), subject="pod"))

    async def measure(self, kind: str) -> Steps:
        """Measures the steps one by one, and whole reviews: of a template's first pod, and of a later one."""
        endpoint = self.endpoint()
        seen = cycle(reviews(kind, _TEMPLATES, _PODS_EACH))
        unseen = cycle(reviews(kind, _TEMPLATES_TOO_MANY, 1))
        for _ in range(_TEMPLATES):
            await serve(endpoint, next(seen))
        steps = {"decode": best(lambda: essence_of(read_review(next(seen)).object))}
        if kind != "ignored":
            steps |= self._measure_pipeline(next(seen))
        steps["seen before"] = await best_awaited(lambda: serve(endpoint, next(seen)))
        steps["first seen"] = await best_awaited(lambda: serve(endpoint, next(unseen)))
        return steps

    def _measure_pipeline(self, body: bytes) -> Steps:
        essence = essence_of(read_review(body).object)
        pod = msgspec.json.decode(essence, type=Pod)
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
            "proof": best(lambda: prove(patch, msgspec.json.decode(essence))),
        }


async def serve(endpoint: ReviewEndpoint, body: bytes) -> None:
    """Has one review answered, by the endpoint alone."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(_message: Message) -> None:
        pass

    headers = [(b"host", b"fastload"), (b"content-type", b"application/json")]
    await endpoint({"type": "http", "method": "POST", "path": "/mutate", "headers": headers}, receive, send)
    await asyncio.sleep(0)  # the endpoint notes what it did


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
    """Prints a table, a row for each kind of pod and a column for each step, and keeps the figures."""
    bench = Bench()
    rows = {kind: await bench.measure(kind) for kind in KINDS}
    columns = list(rows["exec"])
    print("microseconds", *(column.rjust(11) for column in columns))
    for kind, steps in rows.items():
        print(kind.ljust(12), *(f"{steps[column]:11.1f}" if column in steps else "-".rjust(11) for column in columns))
    keep("steps", {kind: {step.replace(" ", "_"): figure for step, figure in rows[kind].items()} for kind in rows})


if __name__ == "__main__":
    asyncio.run(main())
