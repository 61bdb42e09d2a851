import json

import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.namespace import Namespace
from tests.e2e.pods import engine_pod, plain_pod

pytestmark = pytest.mark.usefixtures("webhook")

OURS = "pods.fastload.dev/"


def test_the_audit_log_tells_what_was_done_and_why(
    control_plane: ControlPlane, namespace: Namespace, model: Model
) -> None:
    namespace.create_pod(engine_pod(model))

    noted = annotations(control_plane, namespace, "qwen")

    assert noted[f"{OURS}status"] == "injected"
    assert noted[f"{OURS}reasons"]
    assert json.loads(noted[f"{OURS}plan"])["shards"] == 17


def test_the_audit_log_has_nothing_of_ours_on_other_pods(control_plane: ControlPlane, namespace: Namespace) -> None:
    namespace.create_pod(plain_pod())

    assert not [key for key in annotations(control_plane, namespace, "plain") if "fastload" in key]


def annotations(control_plane: ControlPlane, namespace: Namespace, pod: str) -> dict[str, str]:
    """The audit annotations of the pod's creation."""

    def events() -> list[dict[str, str]]:
        return [
            event.get("annotations", {})
            for event in control_plane.audit_events()
            if event["objectRef"]["namespace"] == namespace.name and event["objectRef"].get("name") == pod
        ]

    return wait_until(events, what=f"the creation of {pod} is in the audit log")[0]
