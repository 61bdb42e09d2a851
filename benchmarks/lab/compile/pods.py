"""The pods of the lab, and what fastload makes of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.lab.preview import previewed

IMAGE: Final = "vllm/vllm-openai:v0.11.0"
_CPU_ALONE = (("TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS", "0"), ("TORCHINDUCTOR_VEC_ISA_OK", "1"))
_MODEL = ("--model", "s3://models/small", "--load-format", "runai_streamer")


@dataclass(frozen=True)
class Pod:
    """A pod as its user writes it; of one template when all but name and ip are the same.

    Unless `torchs_own`, two things that Inductor does for CPUs alone are switched off: precompiled headers, which lie
    below the temporary folder whatever the environment says, and trying out the processor's instructions.
    """

    name: str
    namespace: str = "team-a"
    image: str = IMAGE
    arguments: tuple[str, ...] = ()
    uid: int | None = None
    read_only_root: bool = False
    torchs_own: bool = False
    ip: str = "10.0.0.7"

    def manifest(self) -> dict[str, Any]:
        """Returns the manifest, with the mounts that an engine on a read-only root needs."""
        env: list[dict[str, Any]] = [{"name": "VLLM_HOST_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]
        if not self.torchs_own:
            env += ({"name": name, "value": value} for name, value in _CPU_ALONE)
        security: dict[str, Any] = {"readOnlyRootFilesystem": True} if self.read_only_root else {}
        if self.uid is not None:
            security |= {"runAsUser": self.uid, "runAsGroup": self.uid, "runAsNonRoot": True}
        container: dict[str, Any] = {
            "name": "engine",
            "image": self.image,
            "args": [*_MODEL, *self.arguments],
            "env": env,
            "resources": {"limits": {"nvidia.com/gpu": "1"}},
            "securityContext": security,
        }
        spec: dict[str, Any] = {"containers": [container]}
        if self.read_only_root:
            container["volumeMounts"] = [{"name": "tmp", "mountPath": "/tmp"}]  # noqa: S108 (in the container)
            spec["volumes"] = [{"name": "tmp", "emptyDir": {}}]
        annotations = {"fastload.dev/inject": "true", "fastload.dev/shards": "1", "fastload.dev/model-size": "1Gi"}
        metadata = {"name": self.name, "namespace": self.namespace, "annotations": annotations}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


class NoCacheError(RuntimeError):
    """The plan gives a pod no cache, so that the lab has nothing to try; the message names the pod."""


@dataclass(frozen=True)
class Planned:
    """What a node is told to run: the engine's environment, its volumes by mount path, and the init step's command.

    A volume is the folder of the node that it is, or None where it is the pod's own and ends with it.
    """

    pod: Pod
    env: Mapping[str, str]
    volumes: Mapping[str, str | None]
    init: tuple[str, ...] | None = None
    init_capabilities: tuple[str, ...] = field(default=())

    @property
    def mount(self) -> str:
        """Where the cache is mounted.

        Raises:
            NoCacheError: the pod got no cache.
        """
        for path, folder in self.volumes.items():
            if folder is not None:
                return path
        raise NoCacheError(f"pod {self.pod.name} got no cache from the plan")

    @property
    def cache(self) -> str:
        """The cache's folder on the node.

        Raises:
            NoCacheError: the pod got no cache.
        """
        folder = self.volumes[self.mount]
        if folder is None:
            raise NoCacheError(f"pod {self.pod.name} got no cache from the plan")
        return folder


def plan(pods: Sequence[Pod]) -> dict[Pod, Planned]:
    """Returns each pod as fastload patches it.

    Raises:
        RuntimeError: the preview failed.
    """
    shown = previewed("\n---\n".join(json.dumps(pod.manifest()) for pod in pods))
    return {pod: read(pod, each["patched"]) for pod, each in zip(pods, shown, strict=True)}


def untouched(pod: Pod) -> Planned:
    """Returns the pod as it runs without fastload."""
    return read(pod, pod.manifest())


def read(pod: Pod, manifest: Mapping[str, Any]) -> Planned:
    """Reads what a kubelet would do with the manifest of this pod."""
    spec = manifest["spec"]
    (container,) = spec["containers"]
    folders = {each["name"]: each.get("hostPath", {}).get("path") for each in spec.get("volumes", ())}
    volumes = {each["mountPath"]: folders[each["name"]] for each in container.get("volumeMounts", ())}
    env = {each["name"]: _value(pod, each) for each in container["env"]}
    inits = spec.get("initContainers", ())
    if not inits:
        return Planned(pod, env, volumes)
    (init,) = inits
    return Planned(pod, env, volumes, tuple(init["command"]), tuple(init["securityContext"]["capabilities"]["add"]))


def _value(pod: Pod, entry: Mapping[str, Any]) -> str:
    if "value" in entry:
        return str(entry["value"])
    return {"status.podIP": pod.ip, "metadata.name": pod.name}[entry["valueFrom"]["fieldRef"]["fieldPath"]]
