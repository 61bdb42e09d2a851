"""The compile-cache volume as the pod's own parts: volumes, mounts, and the init container that opens the folder."""

from collections.abc import Collection
from typing import Any

import msgspec

from webhook.patch.operation import Operation, extend
from webhook.patch.target import Target
from webhook.plan.types import CacheVolume, ClaimVolume, InitStep
from webhook.pod.view import PodSpec, Quantity, Resources

_COPIED_RESOURCES = ("cpu", "memory")


class CacheParts(msgspec.Struct, frozen=True):
    """The operations that add a cache, apart, because the engine's environment is patched between them."""

    volumes: list[Operation]
    init_containers: list[Operation]
    mounts: list[Operation]


def cache_parts(target: Target, cache: CacheVolume) -> CacheParts:
    """Builds the cache's volume, its mount, the folder for assets and the init step, as far as the plan wants them."""
    taken = target.facts.volume_names
    name = unique_name("fastload-cache", taken)
    mount = _mount(name, cache)
    volumes, mounts = [_volume(name, cache)], [mount]
    if cache.assets_mount_path is not None:
        assets = unique_name("fastload-assets", taken)
        volumes.append({"name": assets, "emptyDir": {}})
        mounts.append({"name": assets, "mountPath": cache.assets_mount_path})
    # Last among the init containers: it needs nothing but to run before the engine, and so the user's order and the
    # indexes that other webhooks patch by stay as they are.
    steps = [_init_container(target, cache.init, mount)] if cache.init else []
    return CacheParts(
        extend("/spec/volumes", target.spec.volumes, volumes),
        extend("/spec/initContainers", target.spec.init_containers, steps),
        extend(f"{target.path}/volumeMounts", target.view.volume_mounts, mounts),
    )


def unique_name(base: str, taken: Collection[str]) -> str:
    """Returns `base`, or `base-2`, `base-3`... where that is taken."""
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


def _container_names(spec: PodSpec) -> set[str]:
    """The names of the pod's containers of all kinds: the API server wants them unique across the three lists."""
    lists = (spec.containers, spec.init_containers, spec.ephemeral_containers)
    return {each.name for containers in lists for each in containers or ()}


def _volume(name: str, cache: CacheVolume) -> dict[str, Any]:
    if isinstance(cache.source, ClaimVolume):
        return {"name": name, "persistentVolumeClaim": {"claimName": cache.source.claim}}
    return {"name": name, "hostPath": {"path": cache.source.path, "type": "DirectoryOrCreate"}}


def _mount(name: str, cache: CacheVolume) -> dict[str, Any]:
    mount = {"name": name, "mountPath": cache.mount_path}
    if isinstance(cache.source, ClaimVolume) and cache.source.sub_path:
        mount["subPath"] = cache.source.sub_path
    return mount


def _init_container(target: Target, step: InitStep, mount: dict[str, Any]) -> dict[str, Any]:
    """The init container: the engine's own image, as root, with no more rights than it takes to hand over a folder."""
    init: dict[str, Any] = {
        "name": unique_name("fastload-cache-init", _container_names(target.spec)),
        "image": step.image,
        "command": list(step.command),
        # The engines' images ask for every GPU by this variable; here none is wanted.
        "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}],
        "volumeMounts": [mount],
        "securityContext": {
            "runAsUser": 0,
            "runAsGroup": 0,
            "runAsNonRoot": False,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"], "add": ["CHOWN", "FOWNER", "DAC_OVERRIDE"]},
        },
    }
    if target.container.image_pull_policy:
        init["imagePullPolicy"] = target.container.image_pull_policy
    if resources := _cpu_and_memory(target.container.resources):
        init["resources"] = resources
    return init


def _cpu_and_memory(declared: Resources | None) -> dict[str, dict[str, Quantity]]:
    """The engine's requests and limits of cpu and memory, and no GPU.

    A pod needs the larger of its init containers' maximum and its containers' sum (Kubernetes documentation, init
    containers), so this copy changes nothing in scheduling or quota, fits the namespace's limit range because the
    engine does, and keeps the pod's QoS class.
    """
    if declared is None:
        return {}
    both = {"requests": declared.requests or {}, "limits": declared.limits or {}}
    copied = {
        kind: {name: amount for name in _COPIED_RESOURCES if (amount := of.get(name)) is not None}
        for kind, of in both.items()
    }
    return {kind: of for kind, of in copied.items() if of}
