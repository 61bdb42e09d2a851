"""The reviews that the benchmarks send: about 3 kB each, as the API server sends them for a pod of a Deployment."""

import json
from typing import Any

Json = dict[str, Any]

_SCRIPT = """set -euo pipefail
export HF_HOME=/data
MODEL=${MODEL_URI:-s3://models/qwen3.6-35b-a3b}
exec vllm serve "$MODEL" \\
  --tensor-parallel-size 2 --port 8000
"""
_ASKED = {"fastload.dev/inject": "true"}
_NGINX = {"command": ["nginx", "-g", "daemon off;"]}


def reviews() -> dict[str, bytes]:
    """Returns the reviews by what is special about their pods."""
    exec_form = {
        "command": ["vllm", "serve", "s3://models/qwen3.6-35b-a3b"],
        "args": ["--tensor-parallel-size", "2", "--port", "8000"],
    }
    return {
        "exec form": _review(_ASKED, exec_form),
        "shell script": _review(_ASKED, {"command": ["/bin/bash", "-c"], "args": [_SCRIPT]}),
        "skipped": _review(_ASKED, _NGINX),
        "not opted in": _review({}, _NGINX),
    }


def _review(annotations: dict[str, str], launch: Json) -> bytes:
    request = {
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "requestKind": {"group": "", "version": "v1", "kind": "Pod"},
        "requestResource": {"group": "", "version": "v1", "resource": "pods"},
        "namespace": "serving",
        "operation": "CREATE",
        "userInfo": {"username": "system:serviceaccount:kube-system:replicaset-controller", "groups": ["system:nodes"]},
        "object": {"apiVersion": "v1", "kind": "Pod", **_pod(annotations, launch), "status": {}},
        "oldObject": None,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }
    whole = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}
    return json.dumps(whole, separators=(",", ":")).encode()


def _pod(annotations: dict[str, str], launch: Json) -> Json:
    engine = {
        "name": "engine",
        "image": "vllm/vllm-openai:v0.19.0",
        **launch,
        "env": [{"name": f"USER_SETTING_{index}", "value": f"value-{index}"} for index in range(12)],
        "resources": {"limits": {"nvidia.com/gpu": "2", "memory": "256Gi"}, "requests": {"nvidia.com/gpu": "2"}},
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "engine-7d4b9c", "uid": "1f0c", "controller": True}
    metadata = {
        "generateName": "engine-7d4b9c-",
        "labels": {f"label-{index}": "x" * 20 for index in range(8)},
        "annotations": {"prometheus.io/scrape": "true", **annotations},
        "ownerReferences": [owner],
        "managedFields": [{"manager": "kube-controller-manager", "fieldsV1": {"f:spec": {"f:containers": {}}}}],
    }
    spec = {
        "nodeSelector": {"node.kubernetes.io/instance-type": "p5.48xlarge"},
        "containers": [engine],
        "volumes": [{"name": "data", "emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}}],
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    }
    return {"metadata": metadata, "spec": spec}
