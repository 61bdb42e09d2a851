"""Small pods for tests, and their facts."""

from collections.abc import Mapping
from typing import Any

import msgspec

from webhook.pod.facts import EngineContainer, Launch, PodFacts
from webhook.pod.read import read_pod
from webhook.pod.settings import PodSettings
from webhook.pod.view import Pod

IMAGE = "vllm/vllm-openai:v0.19.1"
GPUS = {"limits": {"nvidia.com/gpu": "8"}}


def container(**fields: object) -> dict[str, Any]:
    """A container with a known image and 8 GPUs, unless told otherwise."""
    return {"name": "engine", "image": IMAGE, "resources": GPUS, **fields}


def facts_of(
    *containers: dict[str, Any],
    annotations: Mapping[str, str | None] | None = None,
    labels: Mapping[str, str | None] | None = None,
    ambient: Mapping[str, str] | None = None,
    **spec: object,
) -> PodFacts:
    """The facts of a pod of these containers."""
    prefixed = {key if "/" in key else f"fastload.dev/{key}": value for key, value in (annotations or {}).items()}
    pod = msgspec.convert(
        {"metadata": {"annotations": prefixed, "labels": labels}, "spec": {"containers": list(containers), **spec}}, Pod
    )
    return read_pod(pod, namespace="serving", settings=PodSettings(), ambient=ambient or {})


def launch_of(facts: PodFacts) -> Launch:
    assert facts.launch is not None, facts.skips
    return facts.launch


def engine_container(facts: PodFacts) -> EngineContainer:
    assert facts.container is not None, facts.skips
    return facts.container


def launched(*words: str, **fields: object) -> Launch:
    """The launch of one container with this command."""
    return launch_of(facts_of(container(command=list(words), **fields)))


def script_facts(script: str, *arguments: str, env: Mapping[str, str] | None = None, **fields: object) -> PodFacts:
    """The facts of one container that runs a script."""
    entries = [{"name": name, "value": value} for name, value in (env or {}).items()]
    return facts_of(container(command=["bash", "-c", script, *arguments], env=entries, **fields))


def codes(facts: PodFacts) -> list[str]:
    return [reason.code for reason in facts.skips]
