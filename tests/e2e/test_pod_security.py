import httpx
import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.namespace import Namespace, RefusedError
from tests.e2e.pods import REASONS, STATUS, Json, annotation, cache_mounts, engine_pod, env, host_paths, restricted

pytestmark = pytest.mark.usefixtures("webhook")

ENFORCE = "pod-security.kubernetes.io/enforce"


@pytest.mark.parametrize("level", ["baseline", "restricted"])
def test_a_namespace_that_refuses_host_paths_gets_the_pod_without(
    control_plane: ControlPlane, client: httpx.Client, model: Model, level: str
) -> None:
    namespace = Namespace.create(control_plane, client, {ENFORCE: level})

    pod = namespace.create_pod(restricted(engine_pod(model)))

    assert env(pod)["RUNAI_STREAMER_CONCURRENCY"] == "17"
    assert (host_paths(pod), cache_mounts(pod)) == ([], [])
    assert "pod-security" in (annotation(pod, REASONS) or "").split(",")
    assert annotation(pod, STATUS) == "injected"


def test_a_restricted_namespace_takes_a_cache_on_a_claim(
    control_plane: ControlPlane, client: httpx.Client, model: Model
) -> None:
    namespace = Namespace.create(control_plane, client, {ENFORCE: "restricted"})
    pod = restricted(engine_pod(model, **{"fastload.dev/cache": "pvc:compile-cache"}))
    pod["spec"]["securityContext"]["fsGroup"] = 1000

    created = namespace.create_pod(pod)

    assert [volume["persistentVolumeClaim"]["claimName"] for volume in claims(created)] == ["compile-cache"]
    assert len(cache_mounts(created)) == 1


def test_a_baseline_namespace_takes_the_init_container_that_opens_a_claim(
    control_plane: ControlPlane, client: httpx.Client, model: Model
) -> None:
    namespace = Namespace.create(control_plane, client, {ENFORCE: "baseline"})

    created = namespace.create_pod(restricted(engine_pod(model, **{"fastload.dev/cache": "pvc:compile-cache"})))

    assert [init["name"] for init in created["spec"]["initContainers"]] == ["fastload-cache-init"]
    assert len(cache_mounts(created)) == len(claims(created)) == 1


def test_a_level_that_is_enforced_later_is_noticed(
    control_plane: ControlPlane, namespace: Namespace, model: Model
) -> None:
    assert host_paths(namespace.create_pod(engine_pod(model, "before")))

    control_plane.kubectl("label", "namespace", namespace.name, f"{ENFORCE}=baseline")

    def noticed() -> bool:
        try:
            return not host_paths(namespace.create_pod(engine_pod(model), dry_run=True))
        except RefusedError:  # the API server hears of the label a moment before the webhook does
            return False

    wait_until(noticed, what="the label is noticed")
    assert env(namespace.create_pod(engine_pod(model, "after")))["RUNAI_STREAMER_CONCURRENCY"] == "17"


def claims(pod: Json) -> list[Json]:
    return [volume for volume in pod["spec"]["volumes"] if "persistentVolumeClaim" in volume]
