"""What became of each part of a pod, in a word: a verdict of `tune` does not say whether there was anything to set."""

from collections.abc import Set as AbstractSet
from enum import StrEnum

import msgspec

from webhook.lookup.facts import Shards
from webhook.pipeline import Tuned
from webhook.plan.names import (
    CHUNK,
    CONCURRENCY,
    LOW_SPEED_LIMIT,
    MEMORY_LIMIT,
    OBJECT_CONCURRENCY,
    REQUEST_TIMEOUT,
    RESUBMIT_WINDOW,
)
from webhook.plan.types import Status, Verdict
from webhook.pod.misplaced import annotations_of
from webhook.pod.template import Template
from webhook.reasons import Code

_STREAMER = frozenset({CHUNK, CONCURRENCY, OBJECT_CONCURRENCY, MEMORY_LIMIT})
_RETRY = frozenset({REQUEST_TIMEOUT, LOW_SPEED_LIMIT, RESUBMIT_WINDOW})


class Part(StrEnum):
    """What became of one part."""

    TUNED = "tuned"
    # fastload's own settings are there already.
    ALREADY_TUNED = "already-tuned"
    # The rule applies, and what it takes is set by the user.
    AS_SET = "as-set"
    # The rule applies, and leaves everything as it is.
    NOTHING_TO_ADD = "nothing-to-add"
    # The rule applies, and something has to be known first.
    NOT_KNOWN = "not-known"
    KEPT = "kept"
    LEFT_ALONE = "left-alone"


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """The three parts."""

    streamer: Part
    retry: Part
    cache: Part


def is_tuned_already(template: Template, tuned: Tuned) -> bool:
    """Tells whether fastload's settings are in the template, so that nothing is left to add."""
    status = annotations_of(template).get(f"{tuned.facts.annotations.prefix}/status")
    return not tuned.patch and status in {Status.INJECTED, Status.PARTIAL}


def parts_of(tuned: Tuned, *, already: bool) -> Parts:
    """Says what became of each part; `already` tells that the pod was tuned before."""
    plan = tuned.plan
    reasons = {reason.code for reason in plan.reasons}
    no_shards = not isinstance(tuned.world.shards, Shards)
    told = {
        "streamer": _reading(tuned, plan.streamer, _STREAMER, not_known=no_shards),
        "retry": _reading(tuned, plan.retry, _RETRY, not_known=Code.NETWORK_UNKNOWN in reasons),
        "cache": _plain(plan.cache),
    }
    if already:
        told = {part: each if each is Part.LEFT_ALONE else Part.ALREADY_TUNED for part, each in told.items()}
    return Parts(**told)


def _reading(tuned: Tuned, verdict: Verdict, names: AbstractSet[str], *, not_known: bool) -> Part:
    if verdict is not Verdict.TUNE or any(setting.name in names for setting in tuned.plan.settings):
        return _plain(verdict)
    if _is_set(tuned, names):
        return Part.AS_SET
    return Part.NOT_KNOWN if not_known else Part.NOTHING_TO_ADD


def _plain(verdict: Verdict) -> Part:
    return {Verdict.TUNE: Part.TUNED, Verdict.KEEP: Part.KEPT, Verdict.SKIP: Part.LEFT_ALONE}[verdict]


def _is_set(tuned: Tuned, names: AbstractSet[str]) -> bool:
    """Whether the user set one of these, by environment or by the loader's own settings."""
    container, launch = tuned.facts.container, tuned.facts.launch
    if container is not None and any(name in container.env for name in names):
        return True
    loader = launch.loader if launch is not None and CONCURRENCY in names else None
    return loader is not None and (loader.concurrency is not None or loader.memory_limit is not None)
