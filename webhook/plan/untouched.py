"""What the streamer would do if fastload set nothing: its defaults, and what the user set over them."""

import msgspec

from webhook.plan.inflight import DEFAULT_CONCURRENCY, DEFAULT_MEMORY_LIMIT, DEFAULT_TARGET_GBPS, MIB, Knobs
from webhook.plan.names import CHUNK, CONCURRENCY, MEMORY_LIMIT, OBJECT_CONCURRENCY
from webhook.plan.subject import Subject
from webhook.pod.facts import UserEnv
from webhook.reasons import Code, Reason, because

# Workers to reckon with where the user's number is not known: the most that fastload itself would choose.
MOST_WORKERS = 64


def untouched_knobs(subject: Subject) -> Knobs:
    """Returns the knobs that hold without us; a number of the user's that is not known counts at its worst.

    The memory limit is as the user wrote it: a process's, or the node's in distributed mode.
    """
    env, loader = subject.env, subject.launch.loader
    knobs = _from_env(env) if any(name.startswith("RUNAI_STREAMER_") for name in env.values) else Knobs()
    if not loader.readable:
        return msgspec.structs.replace(knobs, concurrency=MOST_WORKERS)
    if loader.concurrency is None and loader.memory_limit is None:
        return knobs
    return msgspec.structs.replace(
        knobs,
        # The engine writes the number into RUNAI_STREAMER_CONCURRENCY, which the newer name still outranks.
        concurrency=loader.concurrency or knobs.concurrency,
        memory_limit=knobs.memory_limit if loader.memory_limit is None else loader.memory_limit,
    )


def unreadable_loader(subject: Subject) -> Reason | None:
    """Returns why the loader's own settings, which win over the environment, cannot be told; None where they can."""
    if subject.launch.loader.readable:
        return None
    if subject.launch.read:
        return because(Code.LOADER_CONFIG_UNREADABLE)
    return because(Code.LAUNCH_UNREAD, container=subject.container.name)


def _from_env(env: UserEnv) -> Knobs:
    defaults = Knobs()
    window = _number(env, "RUNAI_STREAMER_S3_MAX_INFLIGHT_MIB", 0, unknown=0)
    return Knobs(
        concurrency=_number(env, CONCURRENCY, DEFAULT_CONCURRENCY, unknown=MOST_WORKERS),
        object_concurrency=_number(env, OBJECT_CONCURRENCY, 0, unknown=MOST_WORKERS) or None,
        chunk_bytes=_number(env, CHUNK, defaults.chunk_bytes, unknown=defaults.chunk_bytes),
        memory_limit=_limit(env),
        # A target that is not known may be the fastest card's.
        target_gbps=_number(env, "RUNAI_STREAMER_S3_TARGET_GBPS", DEFAULT_TARGET_GBPS, unknown=100)
        or DEFAULT_TARGET_GBPS,
        window_bytes=window * MIB or None,
    )


def _limit(env: UserEnv) -> int:
    """The user's memory limit; 0 where it is -1, without a limit."""
    text = env.values.get(MEMORY_LIMIT)
    if text is not None and text.strip() == "-1":
        return 0
    return _number(env, MEMORY_LIMIT, DEFAULT_MEMORY_LIMIT, unknown=DEFAULT_MEMORY_LIMIT)


def _number(env: UserEnv, name: str, default: int, *, unknown: int) -> int:
    """A plain positive integer of the user's; `unknown` where it is set and cannot be told, or is not one."""
    if name not in env:
        return default
    text = (env.values[name] or "").strip()
    return int(text) if text.isascii() and text.isdecimal() and int(text) > 0 else unknown
