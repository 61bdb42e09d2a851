"""What the docs say of installing, upgrading and removing fastload, command by command, on a cluster without it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.installation import NAMESPACE, bindable
from tests.e2e.namespace import Namespace
from tests.e2e.operator_shell import OperatorShell, blocks
from tests.e2e.pods import STATUS, annotation, deployment, engine_pod, engine_template
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook

pytestmark = pytest.mark.skipif(
    bool(bindable()), reason="as the docs have it, the API server calls port 443, where this user may not listen"
)


@pytest.fixture(scope="module")
def shell(
    bare_cluster: ControlPlane, bare_client: httpx.Client, tmp_path_factory: pytest.TempPathFactory
) -> OperatorShell:
    return OperatorShell(bare_cluster, bare_client, tmp_path_factory.mktemp("shell"))


@pytest.fixture
def users(bare_cluster: ControlPlane, bare_client: httpx.Client) -> Namespace:
    """Where users have their pods."""
    return Namespace(bare_cluster, bare_client, "default")


@pytest.fixture
def answering(bare_cluster: ControlPlane, s3: S3, tmp_path: Path) -> Iterator[Webhook]:
    """The process of what is installed."""
    webhook = Webhook(bare_cluster, {"FASTLOAD_S3_ENDPOINT": s3.endpoint}, tmp_path)
    try:
        webhook.wait_until_ready()
        yield webhook
    finally:
        webhook.close()


@pytest.fixture(scope="module")
def installed(shell: OperatorShell) -> str:
    """fastload, by the README's first block of commands; and what docker was told meanwhile."""
    shell.run(blocks("README.md", "Install")[0])
    return shell.docker_calls()


def test_the_readmes_commands_install_what_they_build(bare_cluster: ControlPlane, installed: str) -> None:
    pods = bare_cluster.get("deployment", "fastload", "--namespace", NAMESPACE)["spec"]["template"]["spec"]
    assert f"--tag {pods['containers'][0]['image']} " in installed


@pytest.mark.usefixtures("installed", "answering")
def test_the_readmes_commands_have_pods_tuned(
    bare_cluster: ControlPlane, bare_client: httpx.Client, shell: OperatorShell, users: Namespace, model: Model
) -> None:
    bare_cluster.create_namespace("serving")
    serving = Namespace(bare_cluster, bare_client, "serving")
    wait_until(
        lambda: annotation(users.create_pod(engine_pod(model), dry_run=True), STATUS),
        what="the API server calls the webhook",
    )
    users.apply(deployment(engine_template(model)))

    shell.run("".join(blocks("README.md", "Install")[1:]))

    (pod,) = users.finish_rollout("qwen")
    assert annotation(pod, STATUS) == "injected"
    serving.apply(deployment(engine_template(model)))
    (pod,) = serving.finish_rollout("qwen")
    assert annotation(pod, STATUS) == "injected"


def left(cluster: ControlPlane) -> str:
    """What there still is of fastload in the cluster."""
    kinds = "namespace,clusterrole,clusterrolebinding,mutatingwebhookconfiguration,validatingwebhookconfiguration"
    return cluster.kubectl("get", kinds, "--selector", "app.kubernetes.io/name=fastload", "--output", "name").stdout


@pytest.mark.usefixtures("installed")
def test_a_release_is_upgraded_and_removed_as_the_docs_say(bare_cluster: ControlPlane, shell: OperatorShell) -> None:
    upgrade, uninstall, *_ = blocks("docs/operating.md", "Upgrade and uninstall")
    shell.run(upgrade)
    shell.run(uninstall)
    assert left(bare_cluster) == ""


def test_install_yaml_is_applied_and_removed_as_the_docs_say(bare_cluster: ControlPlane, shell: OperatorShell) -> None:
    *_, deploy = blocks("docs/operating.md", "Install")
    _, _, remove, _ = blocks("docs/operating.md", "Upgrade and uninstall")
    shell.run(deploy)
    assert "mutatingwebhookconfiguration.admissionregistration.k8s.io/fastload" in left(bare_cluster)
    shell.run(remove)
    assert left(bare_cluster) == ""
