"""LeaderWorkerSet as the API server sees it: a custom resource whose controller is not here."""

from copy import deepcopy
from typing import Any

from tests.cluster.control_plane import ControlPlane

Json = dict[str, Any]

_GROUP = "leaderworkerset.x-k8s.io"
_ANYTHING: Json = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_CRD: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {
        "name": f"leaderworkersets.{_GROUP}",
        "annotations": {"api-approved.kubernetes.io": "unapproved, a stand-in for tests"},
    },
    "spec": {
        "group": _GROUP,
        "scope": "Namespaced",
        "names": {"plural": "leaderworkersets", "singular": "leaderworkerset", "kind": "LeaderWorkerSet"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _ANYTHING}}},
            }
        ],
    },
}


def install_leader_worker_set(control_plane: ControlPlane) -> None:
    """Make the API server serve the kind."""
    control_plane.apply(_CRD)
    control_plane.kubectl("wait", "--for=condition=Established", f"crd/leaderworkersets.{_GROUP}", "--timeout=30s")


def leader_worker_set(leader: Json, worker: Json, name: str = "qwen") -> Json:
    """A group of one leader and one worker."""
    templates = {"size": 2, "leaderTemplate": deepcopy(leader), "workerTemplate": deepcopy(worker)}
    return {
        "apiVersion": f"{_GROUP}/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": name},
        "spec": {"replicas": 1, "leaderWorkerTemplate": templates},
    }
