"""The pod under decision: its facts, the world's and the settings, with an engine that was recognised."""

import msgspec

from webhook.lookup.facts import World
from webhook.plan.settings import PlanSettings
from webhook.pod.facts import EngineContainer, Launch, PodFacts, UserEnv
from webhook.pod.view import Container


class Subject(msgspec.Struct, frozen=True):
    """All that a rule may look at."""

    facts: PodFacts
    launch: Launch
    container: EngineContainer
    world: World
    settings: PlanSettings

    @property
    def env(self) -> UserEnv:
        """The environment that the user set."""
        return self.container.env

    @property
    def view(self) -> Container | None:
        """The engine's container as the pod spells it."""
        spec, index = self.facts.view.spec, self.container.index
        containers = (spec.containers if spec else None) or []
        return containers[index] if index < len(containers) else None

    @property
    def model(self) -> str | None:
        """The model as annotated, else as launched."""
        return self.facts.annotations.model or self.launch.model

    @property
    def tensor_parallel_size(self) -> int | None:
        """The tensor-parallel size as annotated, else as launched."""
        return self.facts.annotations.tensor_parallel_size or self.launch.tensor_parallel_size

    def annotation(self, name: str) -> str:
        """Returns the full name of one of our annotations, for a sentence."""
        return f"{self.facts.annotations.prefix}/{name}"
