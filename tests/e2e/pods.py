"""The pods that the tests create, and what is read of those that come back."""

import json
from copy import deepcopy
from typing import Any

from demo.s3 import Model
from webhook.plan.cache_names import MOUNT_PATH

Json = dict[str, Any]

INJECT = "fastload.dev/inject"
STATUS = "fastload.dev/status"
REASONS = "fastload.dev/reasons"
PLAN = "fastload.dev/plan"
STREAMER_VERSION = "fastload.dev/streamer-version"


def uri(model: Model) -> str:
    return f"s3://{model.bucket}/{model.prefix}/"


def engine_template(model: Model, **annotations: str) -> Json:
    """The published case's pod template: two ranks on a p5.48xlarge."""
    container = {
        "name": "vllm",
        "image": "vllm/vllm-openai:v0.19.1",
        "args": [f"--model={uri(model)}", "--load-format=runai_streamer", "--tensor-parallel-size=2"],
        "resources": {"limits": {"nvidia.com/gpu": "2"}},
    }
    return {
        "metadata": {"labels": {"app": "qwen"}, "annotations": dict(annotations)},
        "spec": {"nodeSelector": {"node.kubernetes.io/instance-type": "p5.48xlarge"}, "containers": [container]},
    }


def engine_pod(model: Model, name: str = "qwen", **annotations: str) -> Json:
    """The published case as a pod of its own, which asks for fastload."""
    template = engine_template(model, **{INJECT: "true", **annotations})
    return {"apiVersion": "v1", "kind": "Pod", **template, "metadata": {**template["metadata"], "name": name}}


def anywhere(model: Model) -> Json:
    """The published case as a pod that leaves its instance type to the cluster."""
    pod = engine_pod(model)
    del pod["spec"]["nodeSelector"]
    return pod


def plain_pod(name: str = "plain") -> Json:
    """A pod that starts no engine."""
    container = {"name": "web", "image": "nginx:1.29"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}}


def deployment(template: Json, *, name: str = "qwen", replicas: int = 1) -> Json:
    spec = {"replicas": replicas, "selector": {"matchLabels": template["metadata"]["labels"]}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def restricted(pod: Json) -> Json:
    """The pod as the strictest level of Pod Security wants it."""
    pod = deepcopy(pod)
    pod["spec"]["securityContext"] = {
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    for container in pod["spec"]["containers"]:
        container["securityContext"] = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    return pod


def env(pod: Json, container: int = 0) -> dict[str, str | None]:
    """A container's environment by name; None where a value comes from elsewhere."""
    return {entry["name"]: entry.get("value") for entry in pod["spec"]["containers"][container].get("env", ())}


def annotation(pod: Json, name: str) -> str | None:
    value: str | None = pod["metadata"].get("annotations", {}).get(name)
    return value


def plan(pod: Json) -> Json:
    """What the pod's `plan` annotation tells."""
    told: Json = json.loads(annotation(pod, PLAN) or "{}")
    return told


def host_paths(pod: Json) -> list[str]:
    return [volume["hostPath"]["path"] for volume in pod["spec"].get("volumes", ()) if "hostPath" in volume]


def cache_mounts(pod: Json, container: int = 0) -> list[str]:
    """Names of the volumes mounted where the compile cache goes."""
    mounts = pod["spec"]["containers"][container].get("volumeMounts", ())
    return [mount["name"] for mount in mounts if mount["mountPath"] == MOUNT_PATH]
