"""Whether the user already keeps the engine's cache: then it stays where it is."""

from collections.abc import Iterator

from webhook.plan.cache_names import users_cache_names
from webhook.plan.paths import lies_in, mount_over, parts_of
from webhook.pod.facts import Engine, EngineContainer, Mount, UserEnv, VolumeKind
from webhook.reasons import Code, Reason, because

# What does not outlive the pod.
_FLEETING = frozenset({VolumeKind.EMPTY_DIR, VolumeKind.MEMORY, VolumeKind.EPHEMERAL})
# Where the engines keep their caches by default, below XDG_CACHE_HOME (the engines' sources).
_BELOW_CACHE = {Engine.VLLM: "vllm", Engine.SGLANG: "sglang", Engine.NONE: ""}
_CACHE = ".cache"


def users_cache(engine: Engine, container: EngineContainer) -> Reason | None:
    """Returns why the compile cache is the user's own, by a name or a lasting volume; None where it is not."""
    names = users_cache_names(engine, container.env)
    if names:
        return because(Code.CACHE_NAMES_USER, names=", ".join(names))
    for mount in container.mounts:
        if mount.kind not in _FLEETING and _holds_cache(engine, mount, container.env):
            return because(Code.CACHE_VOLUME_USER, volume=mount.volume, path=mount.path)
    return None


def names_on_fleeting_volumes(engine: Engine, container: EngineContainer) -> tuple[str, ...]:
    """Returns the user's cache names whose folder lies on a volume that ends with the pod."""
    return tuple(
        name
        for name in users_cache_names(engine, container.env)
        if (mount := mount_over(container.env.values[name] or "", container.mounts)) and mount.kind in _FLEETING
    )


def _holds_cache(engine: Engine, mount: Mount, env: UserEnv) -> bool:
    """Whether the volume is mounted on the engine's default cache folder, over it or within it."""
    folders = (f"{home}/{_BELOW_CACHE[engine]}" for home in _cache_homes(mount, env))
    return any(lies_in(folder, mount.path) or lies_in(mount.path, folder) for folder in folders)


def _cache_homes(mount: Mount, env: UserEnv) -> Iterator[str]:
    """The folders that ~/.cache may be: told by the environment, or as far as this mount looks like one."""
    told = env.values.get("XDG_CACHE_HOME")
    if told:
        yield told
        return
    home = env.values.get("HOME")
    if home:
        yield f"{home}/{_CACHE}"
        return
    yield f"/root/{_CACHE}"
    parts = parts_of(mount.path)
    if _CACHE in parts:
        yield "/" + "/".join(parts[: parts.index(_CACHE) + 1])
    elif parts[:1] == ("home",):
        # The folder of all users, or one user's.
        yield "/" + "/".join((*parts[:2], "user")[:2]) + f"/{_CACHE}"
