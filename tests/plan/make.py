"""Builds a pod's facts and a world by hand, with the published case as the starting point."""

from collections.abc import Mapping
from typing import Any

import msgspec

from webhook.lookup.facts import (
    Candidates,
    InstanceType,
    Namespace,
    PodSecurity,
    Shards,
    Source,
    Unknown,
    World,
)
from webhook.plan.decide import decide
from webhook.plan.inflight import GIB
from webhook.plan.settings import PlanSettings
from webhook.plan.subject import Subject
from webhook.plan.types import Plan
from webhook.pod.facts import (
    Annotations,
    Engine,
    EngineContainer,
    EnvFromRef,
    Launch,
    Placement,
    PodFacts,
    User,
    UserEnv,
)
from webhook.pod.view import Pod

IMAGE = "vllm/vllm-openai:v0.11.0"


def instance(name: str, gpus: int, gbps: float, gpu: str = "H100", **changes: Any) -> InstanceType:  # noqa: ANN401 (fields of any type)
    base = InstanceType(
        name=name,
        vcpus=96,
        memory_gib=1024,
        gpus=gpus,
        gpu_name=gpu,
        gpu_memory_gib=80,
        network_baseline_gbps=gbps,
        local_nvme_gb=1000,
        nvlink=name.startswith("p"),
        network_card_gbps=min(gbps, 100),
    )
    return msgspec.structs.replace(base, **changes)


P5 = instance("p5.48xlarge", 8, 3200)
G5_12X = instance("g5.12xlarge", 4, 40, "A10G")
G5_XL = instance("g5.xlarge", 1, 2.5, "A10G")
G6E_48X = instance("g6e.48xlarge", 8, 1600, "L40S")


def env(values: Mapping[str, str | None] | None = None, *prefixes: str) -> UserEnv:
    """The user's environment; each prefix stands for a ConfigMap whose keys are not in the pod."""
    return UserEnv(values or {}, tuple(EnvFromRef("ConfigMap", "hidden", prefix) for prefix in prefixes))


def shards(count: int, gib: float, **changes: Any) -> Shards:  # noqa: ANN401 (fields of any type)
    total = int(gib * GIB)
    base = Shards(count=count, total_bytes=total, largest_bytes=-(-total // count) if count else 0)
    return msgspec.structs.replace(base, **changes)


def launch(**changes: Any) -> Launch:  # noqa: ANN401 (fields of any type)
    base = Launch(
        engine=Engine.VLLM,
        model="s3://models/m",
        tensor_parallel_size=2,
        compile_words=("--model", "s3://models/m", "--tensor-parallel-size", "2"),
    )
    return msgspec.structs.replace(base, **changes)


def container(**changes: Any) -> EngineContainer:  # noqa: ANN401 (fields of any type)
    base = EngineContainer(
        index=0,
        name="engine",
        image=IMAGE,
        env=env(),
        mounts=(),
        user=User(),
        gpus=2,
        gpu_resource="nvidia.com/gpu",
        memory_limit_bytes=None,
        resources=None,
        image_pull_policy=None,
        start_budget_seconds=None,
    )
    return msgspec.structs.replace(base, **changes)


def facts(
    *,
    launch: Launch | None = launch(),  # noqa: B008 (frozen)
    container: EngineContainer | None = container(),  # noqa: B008 (frozen)
    **changes: Any,  # noqa: ANN401 (fields of any type)
) -> PodFacts:
    base = PodFacts(
        namespace="serving",
        name=None,
        labels={},
        annotations=Annotations(),
        launch=launch,
        container=container,
        placement=Placement(gpus=container.gpus if container else None),
        volume_names=frozenset(),
        view=Pod(),
    )
    return msgspec.structs.replace(base, **changes)


def world(
    *types: InstanceType,
    shards: Shards | Unknown | None = shards(17, 67),  # noqa: B008 (frozen)
    source: Source = Source.NODE_SELECTOR,
    namespace: Namespace | Unknown | None = None,
    regions: frozenset[str] = frozenset(),
    fargate: bool = False,
) -> World:
    return World(
        shards=shards,
        candidates=Candidates(types=types, source=source, regions=regions, fargate=fargate),
        namespace=namespace or Namespace(name="serving"),
    )


def enforcing(level: PodSecurity) -> Namespace:
    return Namespace(name="serving", pod_security=level)


def subject(
    facts: PodFacts = facts(),  # noqa: B008 (frozen)
    world: World = world(P5),  # noqa: B008 (frozen)
    settings: PlanSettings = PlanSettings(),  # noqa: B008 (frozen)
) -> Subject:
    assert facts.launch is not None
    assert facts.container is not None
    return Subject(facts, facts.launch, facts.container, world, settings)


def plan(
    facts: PodFacts = facts(),  # noqa: B008 (frozen)
    world: World = world(P5),  # noqa: B008 (frozen)
    **settings: Any,  # noqa: ANN401 (fields of any type)
) -> Plan:
    return decide(facts, world, PlanSettings(**settings))


def streamer_settings(plan: Plan) -> dict[str, str]:
    """What is set for streamer and retries, without the common prefix."""
    prefix = "RUNAI_STREAMER_"
    return {each.name.removeprefix(prefix): each.value for each in plan.settings if each.name.startswith(prefix)}


def codes(plan: Plan) -> set[str]:
    return {reason.code for reason in plan.reasons} | {setting.reason.code for setting in plan.settings}


def advised(plan: Plan) -> set[str]:
    return {piece.code for piece in plan.advice}
