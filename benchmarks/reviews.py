"""The reviews that the benchmarks send: as the API server sends them for the pods of Deployments, most of about 4 kB.

Pods of one template differ as they do in a cluster: in the review's uid, the time in the managed fields, and the name
of the volume with the service account's token.
"""

import json
from collections.abc import Iterator
from itertools import chain
from random import Random
from typing import Any
from uuid import UUID

import msgspec

Json = dict[str, Any]

_SCRIPT = """set -euo pipefail
export HF_HOME=/data
MODEL=${MODEL_URI:-s3://models/qwen3.6-35b-a3b}
exec vllm serve "$MODEL" \\
  --tensor-parallel-size 2 --port 8000
"""
_MODEL = b"qwen3.6-35b-a3b"
_ASKED = {"fastload.dev/inject": "true"}
_EXEC = {
    "command": ["vllm", "serve", "s3://models/qwen3.6-35b-a3b"],
    "args": ["--tensor-parallel-size", "2", "--port", "8000"],
}
_HELPER = {"image": "registry.k8s.io/pause:3.10", "command": ["/pause"]}
_NGINX = {"command": ["nginx", "-g", "daemon off;"]}


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """What is special about the pods of a kind; the first container is the one that launches something."""

    annotations: dict[str, str] = {}
    launch: Json
    containers: int = 1
    # Entries of environment in each container.
    env: int = 12
    instance_type: str = "p5.48xlarge"


_SHELL: Json = {"command": ["/bin/bash", "-c"], "args": [_SCRIPT]}
KINDS = {
    "exec": Kind(annotations=_ASKED, launch=_EXEC),
    "shell": Kind(annotations=_ASKED, launch=_SHELL),
    "skipped": Kind(annotations=_ASKED, launch=_NGINX),
    "ignored": Kind(launch=_NGINX),
    "large": Kind(annotations=_ASKED, launch=_EXEC, containers=40, env=10),
}
# Templates that differ in kind, size, model and instance type: of twenty, how many are of which kind.
MIX = "mix"
_MIXED = tuple(
    chain.from_iterable(
        [KINDS[name]] * share for name, share in {"exec": 9, "shell": 5, "skipped": 3, "ignored": 2, "large": 1}.items()
    )
)
_INSTANCE_TYPES = ("p5.48xlarge", "p4d.24xlarge", "g6e.12xlarge", "g5.12xlarge")
_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 (a path)


def reviews(name: str, templates: int, pods_each: int) -> list[bytes]:
    """Returns a review for each pod of a kind or of the mix, one of every template after the other."""
    random = Random(name)  # noqa: S311 (the same pods in every run)
    if name == MIX:
        return [
            of_model(_review(_mixed(template), f"{template:05}", random), f"model-{template:05}")
            for _ in range(pods_each)
            for template in range(templates)
        ]
    kind = KINDS[name]
    return [_review(kind, f"{template:05}", random) for _ in range(pods_each) for template in range(templates)]


def _mixed(template: int) -> Kind:
    """Returns the kind of one template of the mix."""
    kind = _MIXED[template % len(_MIXED)]
    return msgspec.structs.replace(
        kind,
        containers=kind.containers + template % 4,
        env=kind.env + template % 11,
        instance_type=_INSTANCE_TYPES[template // len(_MIXED) % len(_INSTANCE_TYPES)],
    )


def of_model(review: bytes, model: str) -> bytes:
    """Returns the review of a pod that launches another model of the bucket."""
    return review.replace(_MODEL, model.encode())


def _review(kind: Kind, template: str, random: Random) -> bytes:
    pods = {"group": "", "version": "v1", "resource": "pods"}
    pod = {"group": "", "version": "v1", "kind": "Pod"}
    request = {
        "uid": str(UUID(int=random.getrandbits(128))),
        "kind": pod,
        "resource": pods,
        "requestKind": pod,
        "requestResource": pods,
        "namespace": "serving",
        "operation": "CREATE",
        "userInfo": {
            "username": "system:serviceaccount:kube-system:replicaset-controller",
            "uid": "5c1bd4b5-0f0f-4d0a-9a30-5e29c7b1f6ab",
            "groups": ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
        },
        "object": {"kind": "Pod", "apiVersion": "v1", **_pod(kind, template, random), "status": {}},
        "oldObject": None,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }
    whole = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}
    return json.dumps(whole, separators=(",", ":")).encode()


def _pod(kind: Kind, template: str, random: Random) -> Json:
    token = "kube-api-access-" + "".join(random.choices(_SUFFIX_LETTERS, k=5))
    rest = _rest_of_container(kind, template, token)
    devices = {"memory": "256Gi", "nvidia.com/gpu": "2"}
    engine = {"name": "engine", "image": "vllm/vllm-openai:v0.19.0", **kind.launch, **rest}
    engine["resources"] = {"limits": devices, "requests": devices}
    helpers = [{"name": f"helper-{number}", **_HELPER, **rest} for number in range(1, kind.containers)]
    spec = {
        "volumes": [
            {"name": "data", "emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}},
            {"name": token, "projected": {"sources": list(_token_sources()), "defaultMode": 420}},
        ],
        "containers": [engine, *helpers],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "nodeSelector": {"node.kubernetes.io/instance-type": kind.instance_type},
        "serviceAccountName": "default",
        "serviceAccount": "default",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "tolerations": [
            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
            *(
                {
                    "key": f"node.kubernetes.io/{name}",
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": 300,
                }
                for name in ("not-ready", "unreachable")
            ),
        ],
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
    }
    return {"metadata": _metadata(kind.annotations, template, random), "spec": spec}


def _rest_of_container(kind: Kind, template: str, token: str) -> Json:
    """Returns what follows a container's launch."""
    return {
        "ports": [{"containerPort": 8000, "protocol": "TCP"}],
        "env": [{"name": f"USER_SETTING_{index}", "value": f"value-{template}-{index}"} for index in range(kind.env)],
        "resources": {},
        "volumeMounts": [
            {"name": "data", "mountPath": "/data"},
            {"name": token, "readOnly": True, "mountPath": _TOKEN_PATH},
        ],
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }


def _metadata(annotations: dict[str, str], template: str, random: Random) -> Json:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"engine-{template}", "uid": "1f0c"}
    fields: Json = {"f:metadata": {"f:annotations": {}, "f:generateName": {}, "f:labels": {}}}
    fields["f:spec"] = {"f:containers": {'k:{"name":"engine"}': {".": {}, "f:args": {}, "f:command": {}, "f:env": {}}}}
    managed = {
        "manager": "kube-controller-manager",
        "operation": "Update",
        "apiVersion": "v1",
        "time": f"2026-10-05T{random.randrange(24):02}:{random.randrange(60):02}:{random.randrange(60):02}Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return {
        "generateName": f"engine-{template}-",
        "namespace": "serving",
        "labels": {"app": "engine", "pod-template-hash": template},
        "annotations": {"prometheus.io/scrape": "true", **annotations},
        "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        "managedFields": [managed],
    }


def _token_sources() -> Iterator[Json]:
    yield {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}
    yield {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}
    field = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    yield {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": field}]}}
