"""Namespaces that limit their pods: what fastload adds must not be what a pod is refused for."""

import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.namespace import Namespace, RefusedError
from tests.e2e.pods import Json, cache_mounts, engine_pod, env

pytestmark = pytest.mark.usefixtures("webhook")

QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "compute"},
    "spec": {
        "hard": {
            "pods": "1",
            "requests.cpu": "16",
            "requests.memory": "256Gi",
            "limits.cpu": "16",
            "limits.memory": "256Gi",
            "requests.nvidia.com/gpu": "2",
        }
    },
}
LIMIT_RANGE = {
    "apiVersion": "v1",
    "kind": "LimitRange",
    "metadata": {"name": "bounds"},
    "spec": {
        "limits": [
            {"type": "Container", "min": {"cpu": "1", "memory": "1Gi"}, "maxLimitRequestRatio": {"memory": "1"}},
            {"type": "Pod", "max": {"cpu": "16", "memory": "256Gi"}},
        ]
    },
}


def non_root(model: Model) -> Json:
    """A pod whose engine doesn't run as root, so that an init container prepares its cache, and which declares all."""
    pod = engine_pod(model)
    pod["spec"]["securityContext"] = {"runAsUser": 1000, "runAsGroup": 1000}
    amounts = {"cpu": "16", "memory": "256Gi", "nvidia.com/gpu": "2"}
    pod["spec"]["containers"][0]["resources"] = {"requests": amounts, "limits": amounts}
    return pod


def impose(control_plane: ControlPlane, namespace: Namespace, limits: Json) -> None:
    """Apply limits to a namespace, and wait until they act."""
    namespace.apply(limits)
    if limits is QUOTA:
        where = ("resourcequota", limits["metadata"]["name"], "--namespace", namespace.name)
        wait_until(lambda: control_plane.get(*where).get("status"), what="the quota is counted")


@pytest.mark.parametrize("limits", [QUOTA, LIMIT_RANGE], ids=["quota", "limit range"])
def test_a_tuned_pod_fits_where_the_untuned_one_fits_exactly(
    control_plane: ControlPlane, namespace: Namespace, model: Model, limits: Json
) -> None:
    impose(control_plane, namespace, limits)

    pod = namespace.create_pod(non_root(model))

    assert env(pod)["RUNAI_STREAMER_CONCURRENCY"] == "17"
    assert len(cache_mounts(pod)) == 1
    assert [init["name"] for init in pod["spec"]["initContainers"]] == ["fastload-cache-init"]
    assert pod["status"]["qosClass"] == "Guaranteed"


def test_a_pod_that_the_quota_refuses_is_refused_as_ever(
    control_plane: ControlPlane, namespace: Namespace, model: Model
) -> None:
    impose(control_plane, namespace, QUOTA)

    with pytest.raises(RefusedError, match="must specify"):
        namespace.create_pod(engine_pod(model))
