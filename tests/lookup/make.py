"""Pods and node selector terms as the look-ups' tests need them."""

from collections.abc import Mapping, Sequence

from webhook.pod.facts import (
    Annotations,
    Engine,
    EngineContainer,
    Launch,
    LoaderConfig,
    Placement,
    PodFacts,
    User,
    UserEnv,
)
from webhook.pod.view import NodeSelectorRequirement, NodeSelectorTerm, Pod
from webhook.reasons import Reason


def launch(model: str | None = "s3://weights/llm", load_format: str = "auto", pattern: str | None = None) -> Launch:
    """A launch line of vLLM's."""
    return Launch(engine=Engine.VLLM, model=model, load_format=load_format, loader=LoaderConfig(pattern=pattern))


def container(
    env: Mapping[str, str | None] | None = None, gpus: int | None = 8, resource: str | None = "nvidia.com/gpu"
) -> EngineContainer:
    """The container that launches the engine."""
    return EngineContainer(
        index=0,
        name="engine",
        image="vllm/vllm-openai:v0.19.1",
        env=UserEnv(env or {}),
        mounts=(),
        user=User(),
        gpus=gpus,
        gpu_resource=resource,
        memory_limit_bytes=None,
        resources=None,
        image_pull_policy=None,
        start_budget_seconds=None,
    )


def facts(  # noqa: PLR0913 - a test names only what it is about
    launched: Launch | None = None,
    *,
    engine: EngineContainer | None = None,
    annotations: Annotations | None = None,
    placement: Placement | None = None,
    namespace: str = "team-a",
    skips: tuple[Reason, ...] = (),
) -> PodFacts:
    """The facts of a vLLM pod that loads a model from S3 onto eight GPUs."""
    return PodFacts(
        namespace=namespace,
        name="llm-0",
        labels={},
        annotations=annotations or Annotations(),
        launch=launched or launch(),
        container=engine or container(),
        placement=placement or Placement(gpus=8),
        volume_names=frozenset(),
        skips=skips,
        view=Pod(),
    )


def term(*expressions: Sequence[str]) -> NodeSelectorTerm:
    """A term of the required node affinity, from (key, operator, values...)."""
    return NodeSelectorTerm(
        match_expressions=[
            NodeSelectorRequirement(key=key, operator=operator, values=list(values))
            for key, operator, *values in expressions
        ]
    )
