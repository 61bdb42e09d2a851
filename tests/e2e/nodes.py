"""Nodes and Karpenter's NodePools, as objects: nothing runs on them."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.cluster.control_plane import ControlPlane

Json = dict[str, Any]


@contextmanager
def node(control_plane: ControlPlane, instance_type: str, gpus: int = 8) -> Iterator[None]:
    """A node of this type while the block lasts."""
    name = f"node-{uuid.uuid4().hex[:8]}"
    labels = {"node.kubernetes.io/instance-type": instance_type, "kubernetes.io/os": "linux"}
    control_plane.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}})
    amounts = {"nvidia.com/gpu": str(gpus), "cpu": "192", "memory": "2000Gi", "pods": "100"}
    status = json.dumps({"status": {"allocatable": amounts, "capacity": amounts}})
    control_plane.kubectl("patch", f"node/{name}", "--subresource=status", f"--patch={status}")
    try:
        yield
    finally:
        control_plane.kubectl("delete", f"node/{name}")


NODE_POOLS: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "nodepools.karpenter.sh"},
    "spec": {
        "group": "karpenter.sh",
        "scope": "Cluster",
        "names": {"plural": "nodepools", "singular": "nodepool", "kind": "NodePool"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}
"""The definition of NodePools, without their schema."""


def node_pool(name: str, *instance_types: str) -> Json:
    """A NodePool that makes nodes of these types."""
    requirement = {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": list(instance_types)}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": {"template": {"spec": {"requirements": [requirement]}}},
    }
