"""The compile cache: a volume that outlives the pod, and the names that lead the engine to it."""

import msgspec

from webhook.lookup.facts import Unknown
from webhook.plan.cache_init import make_writable
from webhook.plan.cache_names import (
    ASSETS_MOUNT_PATH,
    ASSETS_NAME,
    ASSETS_PATH,
    MOUNT_PATH,
    assets_setting,
    cache_settings,
)
from webhook.plan.cache_place import choose_place
from webhook.plan.cache_user import FLEETING, users_cache
from webhook.plan.paths import lies_in, mount_over
from webhook.plan.subject import Subject
from webhook.plan.types import CacheVolume, Setting, Verdict
from webhook.pod.facts import Engine, EngineContainer, Mount
from webhook.reasons import Code, Reason, because


class Cache(msgspec.Struct, frozen=True):
    """What becomes of the compile cache; `unknown` where a look-up that has no answer is the ground."""

    verdict: Verdict
    reasons: tuple[Reason, ...]
    settings: tuple[Setting, ...] = ()
    volume: CacheVolume | None = None
    unknown: bool = False


def tune_cache(subject: Subject) -> Cache:
    """Decides on the compile cache: the user's stays, and where none can be kept a reason says why."""
    reason = _nothing_to_keep(subject)
    if reason is not None:
        return Cache(Verdict.SKIP, (reason,))
    reason = users_cache(subject.launch, subject.container)
    if reason is not None:
        return Cache(Verdict.KEEP, (reason,))
    place = choose_place(subject)
    if place.source is None:
        return Cache(Verdict.SKIP, (place.reason,), unknown=place.unknown)
    assets = _assets_path(subject.launch.engine, subject.container)
    reason = _mount_taken(subject.container, MOUNT_PATH, *([assets] if assets == ASSETS_MOUNT_PATH else []))
    if reason is not None:
        return Cache(Verdict.SKIP, (reason,))
    init = make_writable(subject, place.source)
    if isinstance(init, Reason):
        return Cache(Verdict.SKIP, (init,), unknown=isinstance(subject.world.namespace, Unknown))
    volume = CacheVolume(place.source, MOUNT_PATH, init, assets if assets == ASSETS_MOUNT_PATH else None)
    settings = cache_settings(subject.launch.engine)
    if assets is not None:
        settings = (*settings, assets_setting(assets))
    reasons = (place.reason,) if init is None else (place.reason, because(Code.CACHE_INIT))
    return Cache(Verdict.TUNE, reasons, settings, volume)


def _nothing_to_keep(subject: Subject) -> Reason | None:
    if subject.launch.compile_cache_disabled:
        return because(Code.COMPILE_CACHE_DISABLED)
    return because(Code.EAGER) if subject.launch.eager else None


def _mount_taken(container: EngineContainer, *paths: str) -> Reason | None:
    """Why our mounts would collide with one of the user's: at the same place, within it or over it."""
    for path in paths:
        for mount in container.mounts:
            if lies_in(path, mount.path) or lies_in(mount.path, path):
                return because(Code.CACHE_MOUNT_TAKEN, volume=mount.volume, path=mount.path)
    return None


def _assets_path(engine: Engine, container: EngineContainer) -> str | None:
    """Where vLLM's assets go: a folder that the pod alone can write; None where that is not ours to say."""
    if engine is not Engine.VLLM or ASSETS_NAME in container.env:
        return None
    mount = mount_over(ASSETS_PATH, container.mounts)
    writable = not container.user.read_only_root if mount is None else _is_pod_local(mount)
    return ASSETS_PATH if writable else ASSETS_MOUNT_PATH


def _is_pod_local(mount: Mount) -> bool:
    return mount.kind in FLEETING and not mount.read_only
