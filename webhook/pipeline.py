"""The one way through, from a pod to its patch; a review and a preview both go this way.

    pod -> facts -> look-ups -> plan -> patch

The look-ups are the only step that may wait: `known` answers from memory alone and never waits, `find` waits up to the
look-ups' own deadline. The other steps are pure: of equal facts and an equal world they make the same patch.
"""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from webhook.lookup.facts import World
from webhook.patch.builder import Operation, build_patch
from webhook.plan.decide import decide
from webhook.plan.estimate import estimate
from webhook.plan.estimate_types import Estimate
from webhook.plan.settings import PlanSettings
from webhook.plan.types import Plan
from webhook.pod.facts import PodFacts
from webhook.pod.read import read_pod
from webhook.pod.settings import PodSettings
from webhook.pod.view import Pod


class WorldSource(Protocol):
    """Where the look-ups' facts come from: live caches in the server, flags in an offline preview."""

    def known(self, facts: PodFacts) -> World | None:
        """Returns the world from memory, without I/O; None where something has to be fetched first."""

    async def find(self, facts: PodFacts) -> World:
        """Fetches what is missing, within the deadline; what is not known by then is an `Unknown`. Never raises."""


class Tuned(msgspec.Struct, frozen=True):
    """One pod's way through, each step's result kept for the answer."""

    facts: PodFacts
    world: World
    plan: Plan
    patch: tuple[Operation, ...]


class Pipeline:
    """Facts, look-ups, plan and patch, wired to settings and a source of the world."""

    def __init__(self, pod_settings: PodSettings, plan_settings: PlanSettings, source: WorldSource) -> None:
        self._pod_settings = pod_settings
        self._plan_settings = plan_settings
        self._source = source

    def read(self, pod: Pod, *, namespace: str, ambient: Mapping[str, str] | None = None) -> PodFacts:
        """Reads the pod's facts; `ambient` is environment that a controller will add (LeaderWorkerSet's)."""
        return read_pod(pod, namespace=namespace, settings=self._pod_settings, ambient=ambient or {})

    def known(self, facts: PodFacts) -> World | None:
        """Returns the world from memory; None where a look-up would have to wait."""
        return self._source.known(facts)

    async def find(self, facts: PodFacts) -> World:
        """Returns the world, waiting for the look-ups within their deadline."""
        return await self._source.find(facts)

    def tune(self, facts: PodFacts, world: World) -> Tuned:
        """Plans and patches."""
        plan = decide(facts, world, self._plan_settings)
        return Tuned(facts, world, plan, build_patch(facts, plan))

    def estimate(self, tuned: Tuned, *, usd_per_hour: float | None = None) -> Estimate | None:
        """Estimates what the plan is worth: for a preview, no step of a review."""
        return estimate(tuned.facts, tuned.world, tuned.plan, self._plan_settings, usd_per_hour=usd_per_hour)
