import json

import httpx
import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.namespace import Namespace
from tests.e2e.pods import INJECT, STATUS, Json, annotation, engine_pod, env, plain_pod
from tests.e2e.webhook_process import Webhook


@pytest.fixture
def opted_in(control_plane: ControlPlane, client: httpx.Client) -> Namespace:
    """A namespace that opted in as a whole."""
    return Namespace.create(control_plane, client, {INJECT: "enabled"})


def silent(pod: Json) -> Json:
    """The pod without its word on fastload."""
    del pod["metadata"]["annotations"][INJECT]
    return pod


def test_a_pod_that_is_not_annotated_never_reaches_the_webhook(
    webhook: Webhook, namespace: Namespace, model: Model
) -> None:
    before = webhook.reviews().total()

    namespace.create_pod(plain_pod())
    namespace.create_pod(silent(engine_pod(model, "silent")))
    namespace.create_pod(engine_pod(model, "declines", **{INJECT: "false"}))

    assert webhook.reviews().total() == before
    namespace.create_pod(engine_pod(model, "asks"))
    assert webhook.reviews().total() == before + 1


def test_a_namespace_opts_its_engines_in(webhook: Webhook, opted_in: Namespace, model: Model) -> None:
    before = webhook.reviews()

    tuned = opted_in.create_pod(silent(engine_pod(model)))
    bystander = opted_in.create_pod(plain_pod())
    declined = opted_in.create_pod(engine_pod(model, "declines", **{INJECT: "false"}))

    assert (annotation(tuned, STATUS), env(tuned)["RUNAI_STREAMER_CONCURRENCY"]) == ("injected", "17")
    assert "annotations" not in bystander["metadata"]
    assert (annotation(declined, STATUS), env(declined)) == (None, {})
    # The bystander was looked at, the pod that declines was not even sent.
    assert webhook.reviews() - before == {"injected": 1, "ignored": 1}


def test_a_label_opts_a_namespace_in_that_was_there_before(
    control_plane: ControlPlane, webhook: Webhook, namespace: Namespace, model: Model
) -> None:
    pod = silent(engine_pod(model))
    assert annotation(namespace.create_pod(pod, dry_run=True), STATUS) is None
    # So the webhook knows the namespace as it was.
    namespace.create_pod(engine_pod(model, "asks"))
    assert webhook.is_ready()

    control_plane.kubectl("label", "namespace", namespace.name, f"{INJECT}=enabled")

    wait_until(lambda: annotation(namespace.create_pod(pod, dry_run=True), STATUS), what="the label is noticed")


def test_a_value_of_the_annotation_that_is_neither_leaves_the_pod_alone_with_a_warning(
    control_plane: ControlPlane, webhook: Webhook, namespace: Namespace, model: Model
) -> None:
    assert webhook.is_ready()

    done = control_plane.kubectl(
        "create", "-f", "-", "--namespace", namespace.name, stdin=json.dumps(engine_pod(model, **{INJECT: "yes"}))
    )

    assert "Warning: fastload: annotation fastload.dev/inject is not valid" in done.stderr
    assert [annotation(pod, STATUS) for pod in namespace.pods()] == [None]
