"""Where a patch acts: the engine's container among the pod's."""

import msgspec

from webhook.pod.facts import EngineContainer, PodFacts
from webhook.pod.view import Container, PodSpec


class Target(msgspec.Struct, frozen=True):
    """The engine's container: what is known of it, how it stands in the pod, and where."""

    facts: PodFacts
    container: EngineContainer
    spec: PodSpec
    view: Container

    @property
    def path(self) -> str:
        """JSON pointer of the container, relative to the pod."""
        return f"/spec/containers/{self.container.index}"


def find_target(facts: PodFacts) -> Target | None:
    """Returns the engine's container, or None where no single one was recognised."""
    container, spec = facts.container, facts.view.spec
    if container is None or spec is None or not spec.containers:
        return None
    return Target(facts, container, spec, spec.containers[container.index])
