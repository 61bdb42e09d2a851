"""Pods and instance types as the look-ups' tests need them."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import pytest

from webhook.lookup.catalogue import Catalogue, load_catalogue
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


class MakeFacts(Protocol):
    """Makes the facts of a vLLM pod that loads a model from S3."""

    def __call__(  # noqa: PLR0913 - a test names only what it is about
        self,
        model: str | None = "s3://weights/llm",
        *,
        env: Mapping[str, str | None] | None = None,
        annotations: Annotations | None = None,
        placement: Placement | None = None,
        gpus: int | None = 8,
        resource: str | None = "nvidia.com/gpu",
        skips: tuple[Reason, ...] = (),
        namespace: str = "team-a",
        **launch: Any,  # noqa: ANN401 - fields of the launch line
    ) -> PodFacts:
        """Makes the facts of a pod."""


@pytest.fixture
def make_facts() -> MakeFacts:
    def make(  # noqa: PLR0913 - as above
        model: str | None = "s3://weights/llm",
        *,
        env: Mapping[str, str | None] | None = None,
        annotations: Annotations | None = None,
        placement: Placement | None = None,
        gpus: int | None = 8,
        resource: str | None = "nvidia.com/gpu",
        skips: tuple[Reason, ...] = (),
        namespace: str = "team-a",
        **launch: Any,  # noqa: ANN401 - as above
    ) -> PodFacts:
        if "pattern" in launch:
            launch["loader"] = LoaderConfig(pattern=launch.pop("pattern"))
        container = EngineContainer(
            index=0,
            name="engine",
            image="vllm/vllm-openai:v0.19.1",
            env=UserEnv(env or {}),
            mounts=(),
            user=User(),
            gpus=gpus,
            gpu_resource=resource,
            dra=gpus is None,
            memory_limit_bytes=None,
            resources=None,
            image_pull_policy=None,
            start_budget_seconds=None,
        )
        return PodFacts(
            namespace=namespace,
            name="llm-0",
            labels={},
            annotations=annotations or Annotations(),
            launch=Launch(engine=Engine.VLLM, model=model, **launch),
            container=container,
            placement=placement or Placement(gpus=gpus),
            volume_names=frozenset(),
            init_container_names=frozenset(),
            skips=skips,
            view=Pod(),
        )

    return make


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue()


class MakeTerm(Protocol):
    """Makes a term of the required node affinity from (key, operator, values...)."""

    def __call__(self, *expressions: Sequence[str]) -> NodeSelectorTerm:
        """Makes a term."""


@pytest.fixture
def term() -> MakeTerm:
    def make(*expressions: Sequence[str]) -> NodeSelectorTerm:
        return NodeSelectorTerm(
            match_expressions=[
                NodeSelectorRequirement(key=key, operator=operator, values=list(values))
                for key, operator, *values in expressions
            ]
        )

    return make
