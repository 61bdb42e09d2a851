import base64
from collections import Counter
from collections.abc import Iterator

import pytest

from demo.s3 import Model
from tests.cluster.certificates import CertificateAuthority
from tests.cluster.control_plane import ControlPlane
from tests.cluster.loopback import free_ports
from tests.cluster.waiting import wait_until
from tests.e2e.mutating import configuration, mutating_webhook
from tests.e2e.namespace import Namespace
from tests.e2e.pods import STATUS, Json, annotation, cache_mounts, engine_pod, plain_pod
from tests.e2e.webhook_process import Webhook

# Configurations are called in the order of their names, and this one comes behind `fastload`.
LATER = "mesh"


def with_sidecar(pod: Json) -> list[Json]:
    """Puts a sidecar before the user's container, an entry behind its environment, and a volume."""
    entry = {"name": "MESH", "value": "on"}
    known = "env" in pod["spec"]["containers"][0]
    return [
        {"op": "add", "path": "/spec/containers/0/env" + ("/-" if known else ""), "value": entry if known else [entry]},
        {"op": "add", "path": "/spec/volumes/-", "value": {"name": "mesh", "emptyDir": {}}},
        {"op": "add", "path": "/spec/containers/0", "value": {"name": "mesh", "image": "mesh:1"}},
    ]


@pytest.fixture
def mesh(control_plane: ControlPlane, webhook: Webhook, namespace: Namespace) -> Iterator[list[Json]]:
    """A second webhook that is called behind fastload's; the requests that came to it."""
    assert webhook.is_ready()
    authority, address = CertificateAuthority("mesh"), ("127.0.0.1", free_ports("127.0.0.1", 1)[0])
    caller = {"url": f"https://127.0.0.1:{address[1]}/", "caBundle": base64.b64encode(authority.pem).decode()}
    with mutating_webhook(address, authority.issue_server("127.0.0.1"), with_sidecar) as requests:
        control_plane.apply(configuration(LATER, namespace.name, caller))
        try:
            wait_until(lambda: is_meshed(namespace.create_pod(plain_pod(), dry_run=True)), what="the mesh is called")
            requests.clear()
            yield requests
        finally:
            control_plane.kubectl("delete", "mutatingwebhookconfiguration", LATER)


def is_meshed(pod: Json) -> bool:
    return any(container["name"] == "mesh" for container in pod["spec"]["containers"])


def test_a_pod_that_another_webhook_changes_is_seen_again_and_has_everything_once(
    webhook: Webhook, mesh: list[Json], namespace: Namespace, model: Model
) -> None:
    before = webhook.reviews()

    pod = namespace.create_pod(engine_pod(model))

    assert len(mesh) == 1
    assert webhook.reviews() - before == {"injected": 1, "unchanged": 1}
    assert [container["name"] for container in pod["spec"]["containers"]] == ["mesh", "vllm"]
    names = Counter(entry["name"] for entry in pod["spec"]["containers"][1]["env"])
    assert names["RUNAI_STREAMER_CONCURRENCY"] == names["MESH"] == 1
    assert set(names.values()) == {1}
    assert len(cache_mounts(pod, container=1)) == 1
    assert Counter(volume["name"] for volume in pod["spec"]["volumes"]).most_common(1)[0][1] == 1
    assert annotation(pod, STATUS) == "injected"


def test_a_pod_that_was_tuned_before_is_not_tuned_again(webhook: Webhook, namespace: Namespace, model: Model) -> None:
    tuned = namespace.create_pod(engine_pod(model))
    copy = {key: tuned[key] for key in ("apiVersion", "kind", "spec")}
    copy["metadata"] = {"name": "copy", "annotations": tuned["metadata"]["annotations"]}
    before = webhook.reviews()

    again = namespace.create_pod(copy)

    assert webhook.reviews() - before == {"unchanged": 1}
    assert again["spec"] == tuned["spec"]
    assert again["metadata"]["annotations"] == tuned["metadata"]["annotations"]
