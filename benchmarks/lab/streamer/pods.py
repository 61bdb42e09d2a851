"""The pods that the plan is asked about, and the settings that it answers."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from benchmarks.lab.preview import previewed

PREFIX: Final = "RUNAI_STREAMER_"


class Pod(msgspec.Struct, frozen=True, kw_only=True):
    """A pod as its user writes it; annotations stand for the look-ups, and sizes are Kubernetes quantities."""

    shards: int
    model_size: str
    instance_type: str = "p5.48xlarge"
    gpus: int = 1
    arguments: tuple[str, ...] = ()
    memory: str | None = None
    # The launch line comes after this in a script of the pod's.
    script: str | None = None
    env: tuple[tuple[str, str], ...] = ()
    annotations: tuple[tuple[str, str], ...] = ()

    def manifest(self, annotations: Mapping[str, str]) -> dict[str, Any]:
        """Returns the manifest with more annotations."""
        annotated = {"inject": "true", "shards": str(self.shards), "model-size": self.model_size}
        annotated |= {"instance-type": self.instance_type, **dict(self.annotations), **annotations}
        limits = {"nvidia.com/gpu": str(self.gpus)} | ({"memory": self.memory} if self.memory else {})
        container = {
            "name": "engine",
            "image": "vllm/vllm-openai:v0.11.0",
            "env": [{"name": name, "value": value} for name, value in self.env],
            "resources": {"limits": limits},
            **self._launched(),
        }
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "engine",
                "namespace": "lab",
                "annotations": {f"fastload.dev/{name}": value for name, value in annotated.items()},
            },
            "spec": {"containers": [container]},
        }

    def _launched(self) -> dict[str, list[str]]:
        arguments = ("--model", "s3://models/m", "--tensor-parallel-size", str(self.gpus), *self.arguments)
        if self.script is None:
            return {"args": list(arguments)}
        line = " ".join(("python3 -m vllm.entrypoints.openai.api_server", *arguments))
        return {"command": ["bash", "-c", f"{self.script}\n{line}"]}


class Plans:
    """What fastload would set for the streamers of pods, each with several sets of annotations; one preview tells all.

    Raises:
        RuntimeError: the preview failed.
    """

    def __init__(self, pods: Iterable[Pod], annotations: Sequence[Mapping[str, str]]) -> None:
        asked = [_text(pod, each) for pod in pods for each in annotations]
        told = previewed("\n---\n".join(asked))
        self._settings = {
            text: {each["name"]: each["value"] for each in pod["settings"] if each["name"].startswith(PREFIX)}
            for text, pod in zip(asked, told, strict=True)
        }

    def settings_of(self, pod: Pod, annotations: Mapping[str, str]) -> dict[str, str]:
        """Returns what a pod's streamer gets, its user's own settings among them."""
        ours = self._settings[_text(pod, annotations)]
        return {**ours, **{name: value for name, value in pod.env if name.startswith(PREFIX)}}


def _text(pod: Pod, annotations: Mapping[str, str]) -> str:
    return json.dumps(pod.manifest(annotations), sort_keys=True)
