"""Published loads beside what the estimate makes of them: `python -m tests.plan.fit` prints the table."""

import msgspec

from tests.plan.make import P5, container, facts, launch, plan, shards, world
from webhook.lookup.facts import Shards
from webhook.plan.estimate import estimate
from webhook.plan.estimate_types import Estimate, LayerName, Range, Scenario
from webhook.plan.settings import PlanSettings
from webhook.pod.facts import Annotations, PodFacts

# The version that the published loads are reckoned with.
PUBLISHED_FOR = (0, 15, 9)


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A published load: seconds of the weights and of the model start, untuned, with settings, and on the next pod."""

    model: str
    tensor_parallel_size: int
    shards: Shards
    weights: tuple[int, int]
    untuned: int
    first_pod: int
    next_pods: int


QWEN = Case(
    model="Qwen3.6-35B-A3B",
    tensor_parallel_size=2,
    shards=shards(17, 67),
    weights=(29, 12),
    untuned=82,
    first_pod=65,
    next_pods=16,
)
SCOUT = Case(
    model="Llama-4-Scout-17B-16E",
    tensor_parallel_size=4,
    shards=shards(50, 203e9 / 2**30),
    weights=(423, 25),
    untuned=457,
    first_pod=59,
    next_pods=32,
)


class Row(msgspec.Struct, frozen=True):
    """A published figure and the model's range for it, in seconds."""

    load: str
    published: int
    modelled: Range

    @property
    def middle(self) -> float:
        return (self.modelled.low + self.modelled.high) / 2

    @property
    def error(self) -> float:
        """What the model's middle is off, as a part of the published figure."""
        return self.middle / self.published - 1


def pod_of(case: Case, version: tuple[int, int, int] | None, **annotations: object) -> PodFacts:
    size = case.tensor_parallel_size
    return facts(
        launch=launch(model=f"s3://models/{case.model}/", tensor_parallel_size=size),
        container=container(gpus=size),
        annotations=msgspec.structs.replace(Annotations(), streamer_version=version, **annotations),
    )


def estimate_of(case: Case, version: tuple[int, int, int] | None, **annotations: object) -> Estimate:
    pod, around = pod_of(case, version, **annotations), world(P5, shards=case.shards)
    made = estimate(pod, around, plan(pod, around), PlanSettings())
    assert made is not None
    return made


def seconds(scenario: Scenario, name: LayerName) -> Range:
    (found,) = (layer.seconds for layer in scenario.layers if layer.name is name)
    assert found is not None
    return found


def start(scenario: Scenario) -> Range:
    assert scenario.model_start is not None
    return scenario.model_start


def rows(version: tuple[int, int, int] | None) -> list[Row]:
    """Every published figure, for a streamer of this version."""
    made = []
    for case in (QWEN, SCOUT):
        today, first_pod, next_pods = estimate_of(case, version).scenarios
        name = case.model
        # Without the cache, a next pod is as the first; untuned, too.
        made += [
            Row(f"{name}: weights, untuned", case.weights[0], seconds(today, LayerName.WEIGHTS)),
            Row(f"{name}: weights, settings", case.weights[1], seconds(first_pod, LayerName.WEIGHTS)),
            Row(f"{name}: untuned, first and next pod", case.untuned, start(today)),
            Row(f"{name}: settings, first and next pod", case.first_pod, start(first_pod)),
            Row(f"{name}: settings and cache, next pod", case.next_pods, start(next_pods)),
        ]
    return made


def table() -> str:
    """The fit as docs/tuning.md shows it."""
    lines = ["| load | published | model | middle | off by |", "|---|---|---|---|---|"]
    for row in rows(PUBLISHED_FOR):
        span = f"{row.modelled.low:.0f} to {row.modelled.high:.0f}"
        lines.append(f"| {row.load} | {row.published} | {span} | {row.middle:.0f} | {abs(row.error):.0%} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")  # noqa: T201 (the program's output)
