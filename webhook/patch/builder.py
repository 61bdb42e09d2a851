"""From a plan to the patch: only additions, in a fixed order, and nothing at all where nothing is new."""

from webhook.patch.cache import CacheParts, cache_parts
from webhook.patch.env import env_operations
from webhook.patch.operation import Operation, rebase
from webhook.patch.stamp import stamp
from webhook.patch.target import find_target
from webhook.plan.types import Plan
from webhook.pod.facts import PodFacts

__all__ = ["Operation", "build_patch", "rebase"]


def build_patch(facts: PodFacts, plan: Plan) -> tuple[Operation, ...]:
    """Builds the operations that turn the pod into what the plan says.

    Paths are relative to the pod, `rebase` moves them into a larger document. The order is annotations, volumes, init
    containers, environment, mounts. Nothing of the user's is removed or replaced; fastload's own annotations are
    replaced where they are there and something else is added. A pod that has them and needs nothing more gets no
    operation, so a second pass changes nothing.
    """
    added = _additions(facts, plan)
    if not added and facts.annotations.status_present:
        return ()
    return (*stamp(facts, plan), *added)


def _additions(facts: PodFacts, plan: Plan) -> list[Operation]:
    target = find_target(facts)
    if target is None:
        return []
    parts = cache_parts(target, plan.volume) if plan.volume else CacheParts([], [], [])
    return [*parts.volumes, *parts.init_containers, *env_operations(target, plan.settings), *parts.mounts]
