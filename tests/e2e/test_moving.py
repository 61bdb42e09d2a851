"""What the docs say of rolling back, and of moving from `kubectl apply` to helm and back."""

import base64
import json
from typing import Any

import httpx
import pytest

from tests.cluster.control_plane import ControlPlane
from tests.e2e.installation import NAMESPACE
from tests.e2e.operator_shell import OperatorShell, blocks

Json = dict[str, Any]

REPOSITORY = "registry.example/mine/fastload"
SETTING = "FASTLOAD_FEATURES"


@pytest.fixture
def shell(
    bare_cluster: ControlPlane, bare_client: httpx.Client, tmp_path_factory: pytest.TempPathFactory
) -> OperatorShell:
    return OperatorShell(bare_cluster, bare_client, tmp_path_factory.mktemp("shell"))


class Installed:
    """What there is of fastload."""

    def __init__(self, cluster: ControlPlane) -> None:
        self._cluster = cluster

    def container(self) -> Json:
        deployment = self._cluster.get("deployment", "fastload", "--namespace", NAMESPACE)
        container: Json = deployment["spec"]["template"]["spec"]["containers"][0]
        return container

    def setting(self) -> str | None:
        return next((each["value"] for each in self.container()["env"] if each["name"] == SETTING), None)

    def bundles(self) -> set[str]:
        webhooks = self._cluster.get("mutatingwebhookconfiguration", "fastload")["webhooks"]
        return {each["clientConfig"].get("caBundle", "") for each in webhooks}

    def write_bundle(self) -> str:
        """Write what fastload would, in its name."""
        bundle = base64.b64encode(self._cluster.ca_certificate.read_bytes()).decode()
        changes = [
            {"op": "add", "path": f"/webhooks/{number}/clientConfig/caBundle", "value": bundle} for number in (0, 1)
        ]
        change = ("--type", "json", "--field-manager", "fastload-certificates", "--patch", json.dumps(changes))
        self._cluster.kubectl("patch", "mutatingwebhookconfiguration", "fastload", *change)
        return bundle


def test_an_installation_moves_to_helm_rolls_back_and_moves_back(
    bare_cluster: ControlPlane, shell: OperatorShell
) -> None:
    to_helm, back = (
        f"REPOSITORY={REPOSITORY}\n{each}"
        for each in blocks("docs/operating.md", "From kubectl apply to helm, and back")
    )
    (rollback,) = blocks("docs/operating.md", "Roll back")
    upgrade = f"helm upgrade fastload deploy/chart --namespace {NAMESPACE} --reset-then-reuse-values"
    installed = Installed(bare_cluster)
    shell.run(f"IMAGE={REPOSITORY}:first make deploy")
    bundle = installed.write_bundle()

    shell.run(to_helm)
    shell.run(f"{upgrade} --set settings.features='{{retry}}' --set resources.limits=null")
    assert (installed.setting(), installed.container()["resources"].keys()) == ("retry", {"requests"})

    shell.run(rollback)
    assert (installed.setting(), installed.container()["resources"].keys()) == (None, {"requests", "limits"})

    shell.run(f"{upgrade} --set settings.features='{{retry}}'")
    shell.run(back)
    assert (installed.setting(), installed.container()["image"]) == (None, f"{REPOSITORY}:0.1.0")
    assert shell.run(f"helm list --namespace {NAMESPACE} --short") == ""
    assert installed.bundles() == {bundle}
