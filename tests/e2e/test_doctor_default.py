"""`kubectl fastload doctor` where nothing is installed, by default values, and by somebody who may not look."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.e2e.doctor_command import SLICE, Doctor
from tests.e2e.installation import NAMESPACE
from tests.e2e.preview_command import PreviewCommand
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook


@pytest.fixture
def command(control_plane: ControlPlane, s3: S3, tmp_path: Path) -> PreviewCommand:
    return PreviewCommand(control_plane, s3, tmp_path)


@pytest.fixture
def with_endpoints(control_plane: ControlPlane, webhook: Webhook) -> Iterator[None]:
    """What the control plane would note of fastload's pods, were they on a node."""
    assert webhook.is_ready()
    control_plane.apply(SLICE)
    yield
    control_plane.kubectl("delete", "endpointslice", SLICE["metadata"]["name"], "--namespace", NAMESPACE)


def test_where_nothing_is_installed(bare_cluster: ControlPlane, s3: S3, tmp_path: Path) -> None:
    (problem,) = Doctor(PreviewCommand(bare_cluster, s3, tmp_path)).problems()

    assert problem["text"] == "fastload is not installed: it has no webhook, and nothing in namespace fastload"


@pytest.mark.usefixtures("with_endpoints")
def test_an_installation_with_default_values_lacks_its_image_alone(
    command: PreviewCommand,
) -> None:
    (problem,) = Doctor(command).installation_problems()

    assert (problem["check"], "is the placeholder" in problem["text"]) == ("deployment", True)


def test_who_may_read_little_is_told_which_rights_are_missing(
    control_plane: ControlPlane, command: PreviewCommand, webhook: Webhook
) -> None:
    assert webhook.is_ready()
    command.be(control_plane.kubeconfig("stranger"))

    status, findings = Doctor(command)()

    assert status == 2
    levels = {each["check"]: each["level"] for each in findings}
    assert levels["kubernetes"] == "ok"
    assert {levels[check] for check in ("webhooks", "certificate", "deployment", "service", "review")} == {"unread"}
    rights = " ".join(each["text"] for each in findings)
    for right in ("list mutatingwebhookconfigurations.admissionregistration.k8s.io", "get secrets", "list pods"):
        assert f"you have no right to {right}" in rights


def test_a_cluster_that_does_not_answer(command: PreviewCommand, control_plane: ControlPlane, tmp_path: Path) -> None:
    config = json.loads(control_plane.admin_kubeconfig.read_text())
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    (tmp_path / "away").write_text(json.dumps(config))

    done = command.run("fastload", "doctor", "--kubeconfig", str(tmp_path / "away"))

    assert (done.returncode, done.stdout) == (2, "")
    assert "https://127.0.0.1:1 of context 'tests' does not answer" in done.stderr
