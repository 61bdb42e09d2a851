"""Whether the user already keeps the engine's cache: then it stays where it is."""

from collections.abc import Iterator
from itertools import pairwise

from webhook.plan.cache_names import users_cache_names
from webhook.plan.paths import lies_in, mount_over, parts_of
from webhook.pod.facts import Engine, EngineContainer, Launch, Mount, UserEnv, VolumeKind
from webhook.reasons import Code, Reason, because

# What does not outlive the pod.
FLEETING = frozenset({VolumeKind.EMPTY_DIR, VolumeKind.MEMORY, VolumeKind.EPHEMERAL})
# Where the engines keep their caches by default, below XDG_CACHE_HOME (the engines' sources).
DEFAULT_FOLDERS = {Engine.VLLM: "vllm", Engine.SGLANG: "sglang", Engine.NONE: ""}
_CACHE = ".cache"
# Where the libraries that compile keep theirs by default: in a home, in its .cache, and in /tmp (their documentation).
_IN_HOME = frozenset({".triton", ".nv", ".deep_gemm", ".tilelang"})
_IN_CACHE = frozenset({"flashinfer", "deep_gemm", "torch_extensions"})
_IN_TMP = "torchinductor_"
# What moves all of these.
_HOMES = ("XDG_CACHE_HOME", "HOME")


def users_cache(launch: Launch, container: EngineContainer) -> Reason | None:
    """Returns why the compile cache is the user's own, by a name or a lasting volume; None where it is not."""
    names = users_cache_names(launch.engine, container.env)
    if launch.compile_cache_dir is not None:
        names = ("cache_dir of the compilation config", *names)
    if names:
        return because(Code.CACHE_NAMES_USER, names=", ".join(names))
    lasting = [mount for mount in container.mounts if mount.kind not in FLEETING]
    for mount in lasting:
        if _holds_cache(launch.engine, mount, container.env) or _holds_a_librarys(mount):
            return because(Code.CACHE_VOLUME_USER, volume=mount.volume, path=mount.path)
    home = next((name for name in _HOMES if name in container.env and container.env.values[name] is None), None)
    volume = next((mount.volume for mount in lasting if not mount.read_only), None)
    return because(Code.CACHE_HOME_UNKNOWN, name=home, volume=volume) if home and volume else None


def names_on_fleeting_volumes(engine: Engine, container: EngineContainer) -> tuple[str, ...]:
    """Returns the user's cache names whose folder lies on a volume that ends with the pod."""
    return tuple(
        name
        for name in users_cache_names(engine, container.env)
        if (mount := mount_over(container.env.values[name] or "", container.mounts)) and mount.kind in FLEETING
    )


def _holds_cache(engine: Engine, mount: Mount, env: UserEnv) -> bool:
    """Whether the volume is mounted on the engine's default cache folder, over it or within it."""
    folders = (f"{home}/{DEFAULT_FOLDERS[engine]}" for home in _cache_homes(mount, env))
    return any(lies_in(folder, mount.path) or lies_in(mount.path, folder) for folder in folders)


def _holds_a_librarys(mount: Mount) -> bool:
    """Whether the volume is mounted on a library's default cache folder or within it, in whoever's home that is."""
    parts = parts_of(mount.path)
    in_tmp = parts[:1] == ("tmp",) and parts[1:2] != () and parts[1].startswith(_IN_TMP)
    in_cache = any(one == _CACHE and other in _IN_CACHE for one, other in pairwise(parts))
    return in_tmp or in_cache or not _IN_HOME.isdisjoint(parts)


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
