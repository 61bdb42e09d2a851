import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.e2e.installation import NAMESPACE
from tests.e2e.webhook_process import Webhook

Right = tuple[str, str, str, str]
"""A verb, an API group, a resource, and a name or `*`."""


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


@pytest.mark.parametrize("namespace", [NAMESPACE, "default"])
def test_it_may_do_what_its_roles_say_and_nothing_else(
    control_plane: ControlPlane, webhook: Webhook, namespace: str
) -> None:
    everybody = control_plane.service_account_kubeconfig(NAMESPACE, "default")

    allowed = rights(control_plane, webhook.kubeconfig, namespace) - rights(control_plane, everybody, namespace)

    assert allowed == set(granted(control_plane, namespace))


def rights(control_plane: ControlPlane, kubeconfig: Path, namespace: str) -> set[Right]:
    """What the API server says that a user may do in a namespace and in the cluster."""
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": namespace},
    }
    # Validation would read definitions that this user may not read.
    create = ("create", "--filename", "-", "--validate=false", "--output", "json")
    answer = control_plane.kubectl(*create, stdin=json.dumps(review), kubeconfig=kubeconfig)
    return set(flat(json.loads(answer.stdout)["status"]["resourceRules"]))


def granted(control_plane: ControlPlane, namespace: str) -> Iterator[Right]:
    """What the roles grant that were installed, in this namespace and in the cluster."""
    kinds = ["clusterroles", *(["roles"] if namespace == NAMESPACE else [])]
    installed = ("--selector", "app.kubernetes.io/instance=fastload", "--namespace", NAMESPACE)
    for kind in kinds:
        for role in control_plane.get(kind, *installed)["items"]:
            yield from flat(role["rules"])


def flat(rules: list[Mapping[str, Any]]) -> Iterator[Right]:
    for rule in rules:
        for verb in rule["verbs"]:
            for group in rule["apiGroups"]:
                for resource in rule["resources"]:
                    yield from ((verb, group, resource, name) for name in rule.get("resourceNames") or ["*"])
