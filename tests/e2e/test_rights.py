import pytest

from tests.cluster.control_plane import ControlPlane
from tests.e2e.webhook_process import Webhook


@pytest.mark.parametrize("resource", ["secrets", "configmaps", "pods", "deployments", "serviceaccounts"])
def test_its_service_account_may_not_read(control_plane: ControlPlane, webhook: Webhook, resource: str) -> None:
    done = control_plane.kubectl("get", resource, "--all-namespaces", check=False, kubeconfig=webhook.kubeconfig)

    assert done.returncode != 0
    assert 'User "system:serviceaccount:fastload:fastload" cannot list resource' in done.stderr


@pytest.mark.parametrize("verb", ["create", "update", "patch", "delete"])
def test_its_service_account_may_not_write(control_plane: ControlPlane, webhook: Webhook, verb: str) -> None:
    for resource in ("pods", "nodes", "namespaces", "events"):
        done = control_plane.kubectl("auth", "can-i", verb, resource, check=False, kubeconfig=webhook.kubeconfig)
        assert done.stdout.strip() == "no"


def test_its_service_account_may_look_at_where_pods_can_land(control_plane: ControlPlane, webhook: Webhook) -> None:
    for resource in ("namespaces", "nodes"):
        control_plane.kubectl("get", resource, kubeconfig=webhook.kubeconfig)
