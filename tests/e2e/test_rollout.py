import json

import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.e2e.namespace import Namespace
from tests.e2e.pods import (
    INJECT,
    STATUS,
    STREAMER_VERSION,
    annotation,
    cache_mounts,
    deployment,
    engine_template,
    env,
    host_paths,
    plan,
)

pytestmark = pytest.mark.usefixtures("webhook")

PUBLISHED = {
    "RUNAI_STREAMER_CONCURRENCY": "17",
    "RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS": "3000",
    "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT": "1048576",
}


def patch_of(**annotations: str) -> str:
    return json.dumps({"spec": {"template": {"metadata": {"annotations": annotations}}}})


@pytest.mark.parametrize(
    ("annotations", "resubmit"),
    [
        pytest.param({INJECT: "true"}, "60", id="streamer's version unknown"),
        pytest.param({INJECT: "true", STREAMER_VERSION: "0.15.9"}, None, id="streamer 0.15.9"),
    ],
)
def test_annotating_a_running_deployment_rolls_tuned_pods_out(
    control_plane: ControlPlane, namespace: Namespace, model: Model, annotations: dict[str, str], resubmit: str | None
) -> None:
    namespace.apply(deployment(engine_template(model), replicas=2))
    untuned = namespace.finish_rollout("qwen")
    assert [env(pod) for pod in untuned] == [{}, {}]

    control_plane.kubectl("patch", "deployment/qwen", "--namespace", namespace.name, "--patch", patch_of(**annotations))
    tuned = namespace.finish_rollout("qwen")

    assert len(tuned) == 2
    for pod in tuned:
        assert annotation(pod, STATUS) == "injected"
        assert env(pod).items() >= PUBLISHED.items()
        assert env(pod).get("RUNAI_STREAMER_S3_TIMEOUT") == resubmit
        assert "RUNAI_STREAMER_CHUNK_BYTESIZE" not in env(pod)
        assert len(cache_mounts(pod)) == 1
    assert tuned[0]["metadata"]["name"] not in {pod["metadata"]["name"] for pod in untuned}


def test_the_pods_of_a_deployment_share_a_compile_cache_and_explain_themselves(
    namespace: Namespace, model: Model
) -> None:
    namespace.apply(deployment(engine_template(model, **{INJECT: "true"}), replicas=2))

    first, second = namespace.finish_rollout("qwen")

    assert host_paths(first) == host_paths(second)
    assert f"/{namespace.name}/" in host_paths(first)[0]
    assert (plan(first)["shards"], plan(first)["bytes"]) == (17, 67 * 2**30)
    assert plan(first)["instance_types"] == ["p5.48xlarge"]
