"""The manifests that a preview writes, applied: by kubectl in both of its ways, and built by kustomize."""

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonpatch
import pytest
import yaml

from demo.s3 import Model
from demo.webhook import FASTLOAD, environment
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.namespace import Namespace
from tests.e2e.pods import INJECT, Json, deployment, engine_template
from tests.e2e.s3 import S3

pytestmark = pytest.mark.usefixtures("webhook")

FILES = sorted((Path(__file__).parent.parent / "cases").rglob("*.yaml"))
DECLARED = ("--offline", "--shards", "17", "--model-size", "67Gi")


def preview(manifest: str, form: str, *options: str) -> str:
    command = [FASTLOAD, "preview", "-f", "-", "-o", form, *options]
    return subprocess.run(command, input=manifest, env=environment(), capture_output=True, check=True, text=True).stdout


def workload(model: Model, namespace: Namespace) -> Json:
    made = deployment(engine_template(model, **{INJECT: "true"}))
    made["metadata"]["namespace"] = namespace.name
    return made


@pytest.mark.parametrize("how", [["--server-side"], []], ids=["server-side", "client-side"])
def test_an_applied_manifest_makes_pods_that_the_webhook_leaves_alone(
    control_plane: ControlPlane, namespace: Namespace, model: Model, s3: S3, how: list[str]
) -> None:
    manifest = yaml.safe_dump(workload(model, namespace))
    tuned = preview(manifest, "yaml", "--s3-endpoint", s3.endpoint)
    for _ in range(2):  # the second time kubectl merges it into what is there
        done = control_plane.kubectl("apply", *how, "-f", "-", stdin=tuned)
        assert "Warning" not in done.stderr
    template: dict[str, Any] = yaml.safe_load(tuned)["spec"]["template"]
    (pod,) = wait_until(namespace.pods, what="the pod of the Deployment")
    assert pod["metadata"]["annotations"] == template["metadata"]["annotations"]
    assert pod["spec"]["containers"][0]["env"] == template["spec"]["containers"][0]["env"]
    assert [each for each in pod["spec"]["volumes"] if "hostPath" in each] == template["spec"]["volumes"]


def test_names_behind_env_from_are_left_to_the_webhook(
    control_plane: ControlPlane, namespace: Namespace, model: Model, s3: S3
) -> None:
    given = workload(model, namespace)
    given["spec"]["template"]["spec"]["containers"][0]["envFrom"] = [{"secretRef": {"name": "s", "optional": True}}]
    manifest = yaml.safe_dump(given)
    assert preview(manifest, "yaml", "--s3-endpoint", s3.endpoint) == manifest
    (patch,) = json.loads("[" + preview(manifest, "patch", "--s3-endpoint", s3.endpoint) + "]")
    repeating = yaml.safe_dump(patched(given, patch))
    refused = control_plane.kubectl("apply", "--server-side", "-f", "-", stdin=repeating, check=False)
    assert "duplicate entries for key" in refused.stderr
    control_plane.kubectl("apply", "--server-side", "-f", "-", stdin=manifest)
    (pod,) = wait_until(namespace.pods, what="the pod of the Deployment")
    assert len([each for each in pod["spec"]["containers"][0]["env"] if "valueFrom" in each]) > 1


def patched(value: Json, patch: list[Json]) -> Json:
    made: Json = jsonpatch.apply_patch(value, patch)
    return made


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_component_builds_what_the_tuned_manifest_says(
    path: Path, control_plane: ControlPlane, tmp_path: Path
) -> None:
    manifest = path.read_text().replace("generateName: ", "name: ")
    tuned = yaml.safe_load(preview(manifest, "yaml", *DECLARED))
    assert build(control_plane, tmp_path, manifest) == tuned


def build(control_plane: ControlPlane, folder: Path, manifest: str, base: str | None = None) -> Json:
    """What kustomize makes of a base and of the component for a manifest."""
    (folder / "fastload").mkdir()
    (folder / "fastload" / "kustomization.yaml").write_text(preview(manifest, "kustomize", *DECLARED))
    (folder / "base.yaml").write_text(base or manifest)
    (folder / "kustomization.yaml").write_text("resources: [base.yaml]\ncomponents: [fastload]\n")
    built: Json = yaml.safe_load(control_plane.kubectl("kustomize", str(folder)).stdout)
    return built


def test_a_base_that_has_moved_on_is_no_longer_patched(
    control_plane: ControlPlane, model: Model, namespace: Namespace, tmp_path: Path
) -> None:
    given = workload(model, namespace)
    manifest = yaml.safe_dump(given)
    given["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "MINE", "value": "1"}]
    with pytest.raises(subprocess.CalledProcessError) as raised:
        build(control_plane, tmp_path, manifest, yaml.safe_dump(given))
    assert "/spec/template/spec/containers/0/env" in str(raised.value.__notes__)
