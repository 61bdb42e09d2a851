from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.namespace import Namespace
from tests.e2e.nodes import node
from tests.e2e.pods import (
    INJECT,
    REASONS,
    STATUS,
    Json,
    annotation,
    anywhere,
    cache_mounts,
    deployment,
    engine_pod,
    engine_template,
    env,
    plan,
)
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook


def test_pods_are_made_while_the_webhook_is_down_and_tuned_once_it_is_back(
    webhook: Webhook, namespace: Namespace, model: Model
) -> None:
    with webhook.stopped():
        untuned = namespace.create_pod(engine_pod(model, "meanwhile"))
    tuned = namespace.create_pod(engine_pod(model, "afterwards"))

    assert (annotation(untuned, STATUS), env(untuned)) == (None, {})
    assert (annotation(tuned, STATUS), env(tuned)["RUNAI_STREAMER_CONCURRENCY"]) == ("injected", "17")


def test_a_deployment_rolls_out_while_the_webhook_is_down(webhook: Webhook, namespace: Namespace, model: Model) -> None:
    with webhook.stopped():
        namespace.apply(deployment(engine_template(model, **{INJECT: "true"}), replicas=2))
        pods = namespace.finish_rollout("qwen")

    assert [env(pod) for pod in pods] == [{}, {}]


def test_while_s3_hangs_a_pod_gets_what_is_certain_and_the_next_one_all(
    webhook: Webhook, s3: S3, namespace: Namespace, model: Model
) -> None:
    assert webhook.is_ready()
    with s3.held_up(model):
        # That it says `partial` shows that it was answered within the API server's five seconds.
        first = namespace.create_pod(engine_pod(model, "first"))
    second = namespace.create_pod(engine_pod(model, "second"))

    assert annotation(first, STATUS) == "partial"
    assert "lookup-slow" in (annotation(first, REASONS) or "").split(",")
    assert "RUNAI_STREAMER_CONCURRENCY" not in env(first)
    assert env(first)["RUNAI_STREAMER_S3_LOW_SPEED_LIMIT"] == "1048576"
    assert len(cache_mounts(first)) == 1
    assert annotation(second, STATUS) == "injected"
    assert env(second)["RUNAI_STREAMER_CONCURRENCY"] == "17"


def test_the_webhook_goes_on_and_follows_again_when_the_api_server_restarts(
    control_plane: ControlPlane, webhook: Webhook, namespace: Namespace, model: Model
) -> None:
    pod = anywhere(model)
    with control_plane.api_server_stopped():
        assert webhook.is_ready()

    assert annotation(namespace.create_pod(pod, dry_run=True), STATUS)
    with node(control_plane, instance_type="p5.48xlarge"):
        wait_until(lambda: sees_only_p5(namespace.create_pod(pod, dry_run=True)), what="the new node is seen")


def test_the_webhook_starts_without_an_api_server_and_follows_it_once_it_is_there(
    control_plane: ControlPlane, webhook: Webhook, namespace: Namespace, model: Model
) -> None:
    pod = anywhere(model)
    with control_plane.api_server_stopped(), webhook.stopped():
        pass  # at the end of the block it starts, and becomes ready although nobody answers it

    with node(control_plane, instance_type="p5.48xlarge"):
        wait_until(lambda: sees_only_p5(namespace.create_pod(pod, dry_run=True)), what="the new node is seen")


def sees_only_p5(pod: Json) -> bool:
    return plan(pod).get("instance_types") == ["p5.48xlarge"]
