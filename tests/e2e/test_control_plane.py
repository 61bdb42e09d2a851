import base64
import json
import socket
import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.certificates import CertificateAuthority
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.mutating import configuration, mutating_webhook

POD_SPEC = {"containers": [{"name": "main", "image": "registry.invalid/nothing:1"}]}


@pytest.fixture
def namespace(control_plane: ControlPlane) -> str:
    name = f"test-{uuid.uuid4().hex[:8]}"
    control_plane.create_namespace(name)
    return name


def test_the_real_controllers_make_the_pods_of_a_deployment(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.apply(deployment(namespace, replicas=2))

    pods = wait_for_pods(control_plane, namespace, count=2)

    assert {pod["metadata"]["ownerReferences"][0]["kind"] for pod in pods} == {"ReplicaSet"}
    assert {pod["status"]["phase"] for pod in pods} == {"Pending"}


def test_pod_security_refuses_a_host_path(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=baseline")
    manifest = pod(namespace, "reaches-out")
    manifest["spec"]["volumes"] = [{"name": "host", "hostPath": {"path": "/var/lib"}}]

    done = control_plane.kubectl("create", "-f", "-", stdin=json.dumps(manifest), check=False)

    assert done.returncode != 0
    assert "hostPath volumes" in done.stderr


def test_a_webhook_is_called_at_the_cluster_ip_of_its_service(control_plane: ControlPlane, namespace: str) -> None:
    authority = CertificateAuthority("webhook")
    credentials = authority.issue_server(f"webhook.{namespace}.svc")
    port = service_port()
    where = {"name": "webhook", "namespace": namespace, "port": port}
    caller = {"service": where, "caBundle": base64.b64encode(authority.pem).decode()}
    control_plane.apply(service(namespace, port), configuration(namespace, namespace, caller))
    cluster_ip = control_plane.get("service", "webhook", "-n", namespace)["spec"]["clusterIP"]

    with mutating_webhook((cluster_ip, port), credentials, labelled) as requests:
        wait_until(lambda: is_labelled(control_plane, namespace), what="the API server calls the webhook")
        control_plane.apply(deployment(namespace, replicas=2))
        pods = wait_for_pods(control_plane, namespace, count=2)

    assert [pod["metadata"]["labels"]["webhook"] for pod in pods] == ["was-here", "was-here"]
    users = {request["userInfo"]["username"] for request in requests}
    assert "system:serviceaccount:kube-system:replicaset-controller" in users


def test_a_user_may_do_what_rbac_grants(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl("create", "rolebinding", "views", "--clusterrole=view", "--group=viewers", "-n", namespace)
    viewer, stranger = control_plane.kubeconfig("ann", "viewers"), control_plane.kubeconfig("bob")

    assert may_list_pods(control_plane, namespace, viewer)
    assert not may_list_pods(control_plane, namespace, stranger)


def test_a_service_account_is_known_by_its_token(control_plane: ControlPlane, namespace: str) -> None:
    kubeconfig = control_plane.service_account_kubeconfig(namespace, "default")

    done = control_plane.kubectl("auth", "whoami", "--output", "json", kubeconfig=kubeconfig)

    assert json.loads(done.stdout)["status"]["userInfo"]["username"] == f"system:serviceaccount:{namespace}:default"


def may_list_pods(control_plane: ControlPlane, namespace: str, kubeconfig: Path) -> bool:
    done = control_plane.kubectl("auth", "can-i", "list", "pods", "-n", namespace, check=False, kubeconfig=kubeconfig)
    return done.stdout.strip() == "yes"


def is_labelled(control_plane: ControlPlane, namespace: str) -> bool:
    """Whether a pod would be labelled: the API server takes a moment to notice a new webhook."""
    options = ("--dry-run=server", "--output", "json")
    done = control_plane.kubectl("create", "-f", "-", *options, stdin=json.dumps(pod(namespace, "trial")))
    return "webhook" in json.loads(done.stdout)["metadata"]["labels"]


def wait_for_pods(control_plane: ControlPlane, namespace: str, *, count: int) -> list[dict[str, Any]]:
    def complete() -> list[dict[str, Any]]:
        pods: list[dict[str, Any]] = control_plane.get("pods", "--namespace", namespace)["items"]
        return pods if len(pods) == count else []

    return wait_until(complete, what=f"{count} pods in {namespace}")


def pod(namespace: str, name: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace, "labels": {"app": name}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": dict(POD_SPEC)}


def deployment(namespace: str, *, replicas: int) -> dict[str, Any]:
    labels = {"app": "engine"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "engine", "namespace": namespace},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": POD_SPEC},
        },
    }


def service(namespace: str, port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "webhook", "namespace": namespace},
        "spec": {"ports": [{"port": port}]},
    }


def service_port() -> int:
    """The port that manifests use, or one that an ordinary user may listen on."""
    try:
        socket.create_server(("127.0.0.1", 443)).close()
    except OSError:
        return 8443
    return 443


def labelled(_pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"op": "add", "path": "/metadata/labels/webhook", "value": "was-here"}]
