import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.namespace import Namespace
from tests.e2e.nodes import NODE_POOLS, node, node_pool
from tests.e2e.pods import INJECT, PLAN, REASONS, STATUS, Json, anywhere, deployment, engine_template, plan, restricted
from tests.e2e.preview_command import PreviewCommand
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook

ENFORCE = "pod-security.kubernetes.io/enforce"
TYPE = "g6e.12xlarge"
README = Path(__file__).parents[2] / "README.md"


@pytest.fixture
def command(control_plane: ControlPlane, s3: S3, tmp_path: Path) -> PreviewCommand:
    return PreviewCommand(control_plane, s3, tmp_path)


def template(model: Model) -> Json:
    """The published case, which neither asks for fastload nor names its instance type."""
    template = engine_template(model)
    del template["spec"]["nodeSelector"]
    return template


def ours(pod: Json) -> Json:
    """What fastload decides of a pod: its marks, the engine's environment, and the volumes it adds."""
    (container,) = pod["spec"]["containers"]
    return {
        "annotations": {name: pod["metadata"]["annotations"][name] for name in (STATUS, REASONS, PLAN)},
        "env": container["env"],
        "mounts": [each for each in container["volumeMounts"] if each["name"].startswith("fastload")],
        "volumes": [each for each in pod["spec"]["volumes"] if each["name"].startswith("fastload")],
    }


def running(command: PreviewCommand, name: str, namespace: Namespace) -> str:
    """A Deployment as the cluster has it, status and managed fields included."""
    shown = command.run("get", "deployment", name, "-n", namespace.name, "-o", "yaml", "--show-managed-fields")
    assert "managedFields:" in shown.stdout
    return shown.stdout


def test_what_runs_is_previewed_as_the_webhook_then_does_it(
    control_plane: ControlPlane, client: httpx.Client, webhook: Webhook, command: PreviewCommand, model: Model
) -> None:
    assert webhook.is_ready()
    namespace = Namespace.create(control_plane, client, {INJECT: "enabled"})
    with node(control_plane, TYPE, gpus=4):
        wait_until(
            lambda: plan(namespace.create_pod(anywhere(model), dry_run=True)).get("instance_types") == [TYPE],
            what="the webhook sees the node",
        )
        namespace.apply(deployment(template(model)))
        (pod,) = namespace.finish_rollout("qwen")

        previewed = command.preview(of=running(command, "qwen", namespace))

    assert (previewed["opted_in"], previewed["instance_types"]) == (True, [TYPE])
    assert ours(previewed["patched"]["spec"]["template"]) == ours(pod)


@pytest.mark.parametrize("level", ["baseline", "restricted"])
def test_pod_security_of_the_contexts_namespace_counts_as_it_does_for_the_webhook(  # noqa: PLR0913, PLR0917 (fixtures)
    control_plane: ControlPlane,
    client: httpx.Client,
    webhook: Webhook,
    command: PreviewCommand,
    model: Model,
    level: str,
) -> None:
    assert webhook.is_ready()
    namespace = Namespace.create(control_plane, client, {ENFORCE: level})
    pod = restricted(anywhere(model))
    command.be(control_plane.admin_kubeconfig, namespace.name)

    previewed = command.preview(of=json.dumps(pod))

    assert previewed["cache"] == "skip"
    created = namespace.create_pod(pod)
    marks = previewed["patched"]["metadata"]["annotations"]
    assert {name: marks[name] for name in (STATUS, REASONS, PLAN)}.items() <= created["metadata"]["annotations"].items()


@pytest.fixture
def karpenter(control_plane: ControlPlane) -> Iterator[None]:
    control_plane.apply(NODE_POOLS)
    control_plane.kubectl("wait", "--for=condition=Established", f"crd/{NODE_POOLS['metadata']['name']}")
    yield
    control_plane.kubectl("delete", "crd", NODE_POOLS["metadata"]["name"])


@pytest.mark.usefixtures("karpenter")
def test_node_pools_are_where_a_pod_may_land_unless_a_flag_says_otherwise(
    control_plane: ControlPlane, command: PreviewCommand, model: Model
) -> None:
    control_plane.apply(node_pool("gpus", "p5.48xlarge", "p4d.24xlarge"))
    pod = json.dumps(anywhere(model))

    assert command.preview(of=pod)["instance_types"] == ["p4d.24xlarge", "p5.48xlarge"]
    assert command.preview("--instance-type", TYPE, of=pod)["instance_types"] == [TYPE]


def grant(control_plane: ControlPlane, user: str, *resources: str) -> None:
    """Let a user read these kinds of object, and wait until the API server knows."""
    control_plane.kubectl("create", "clusterrole", user, "--verb=get,list", f"--resource={','.join(resources)}")
    control_plane.kubectl("create", "clusterrolebinding", user, f"--clusterrole={user}", f"--user={user}")
    kubeconfig = control_plane.kubeconfig(user)
    wait_until(
        lambda: (
            control_plane.kubectl("auth", "can-i", "get", resources[0], kubeconfig=kubeconfig, check=False).stdout
            == "yes\n"
        ),
        what=f"{user} may get {resources[0]}",
    )


def test_a_user_without_rights_is_told_which_it_takes(
    control_plane: ControlPlane, command: PreviewCommand, model: Model
) -> None:
    command.be(control_plane.kubeconfig("stranger"))

    done = command.run("fastload", "preview", "-f", "-", "--cluster", stdin=json.dumps(anywhere(model)))

    assert (done.returncode, done.stdout) == (2, "")
    assert "rights to list nodes, to list nodepools.karpenter.sh, to get namespace default" in done.stderr


def test_a_user_with_some_rights_gets_what_they_show(
    control_plane: ControlPlane, client: httpx.Client, command: PreviewCommand, model: Model
) -> None:
    namespace = Namespace.create(control_plane, client, {ENFORCE: "baseline"})
    grant(control_plane, "developer", "namespaces")
    command.be(control_plane.kubeconfig("developer"), namespace.name)

    done = command.run("fastload", "preview", "-f", "-", "--cluster", "-o", "json", stdin=json.dumps(anywhere(model)))

    assert done.returncode == 0
    assert [line.partition(": no right to ")[2].partition(":")[0] for line in done.stderr.splitlines()] == [
        "list nodes",
        "list nodepools.karpenter.sh",
    ]
    (pod,) = json.loads(done.stdout)["pods"]
    assert "pod-security" in [reason["code"] for reason in pod["reasons"]]


def test_credentials_that_the_cluster_does_not_take(
    control_plane: ControlPlane, command: PreviewCommand, model: Model, tmp_path: Path
) -> None:
    config = json.loads(control_plane.admin_kubeconfig.read_text())
    config["users"][0]["user"] = {"token": "stale"}
    (tmp_path / "stale").write_text(json.dumps(config))
    command.be(tmp_path / "stale")

    done = command.run("fastload", "preview", "-f", "-", "--cluster", stdin=json.dumps(anywhere(model)))

    assert done.returncode == 2
    assert f"{control_plane.url} does not take the credentials of context 'tests'" in done.stderr


def test_kubectl_knows_the_plugin_and_its_help_says_how_it_is_called(command: PreviewCommand) -> None:
    assert "/kubectl-fastload\n" in command.run("plugin", "list").stdout
    assert command.run("fastload", "preview", "--help").stdout.startswith("Usage: kubectl fastload preview [OPTIONS]\n")


def test_the_readmes_commands_preview_a_manifest_and_what_runs(
    control_plane: ControlPlane, namespace: Namespace, command: PreviewCommand, model: Model, tmp_path: Path
) -> None:
    of_a_file, of_the_cluster = (line for line in README.read_text().splitlines() if "kubectl fastload preview" in line)
    (tmp_path / "deployment.yaml").write_text(json.dumps(deployment(template(model))))
    namespace.apply(deployment(template(model)))
    command.be(control_plane.admin_kubeconfig, namespace.name)

    for line in (of_a_file, of_the_cluster):
        done = command.shell(line)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("Deployment qwen  ")
