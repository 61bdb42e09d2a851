"""Every sample pod on a real API server: taken as it would be untuned, tuned as the preview says, and only once."""

import json
import re
import subprocess
import uuid
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from demo.s3 import Model
from demo.webhook import FASTLOAD, environment
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.namespace import Namespace, RefusedError
from tests.e2e.pods import INJECT, REASONS, STATUS, Json, annotation, host_paths
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook
from webhook.pod.template import Template, find_templates

CASES = Path(__file__).parent.parent / "cases"
# Each is opted in here; one that opts out has nothing to show.
FILES = sorted(path for path in CASES.rglob("*.yaml") if f'{INJECT}: "false"' not in path.read_text())
GIB = 2**30
ENFORCE = "pod-security.kubernetes.io/enforce"
# The level of Pod Security of the samples' namespaces, where one is enforced.
ENFORCED = {"team-baseline": "baseline"}
# Workloads whose pods this cluster's controllers make.
MADE_HERE = ("Deployment", "StatefulSet")

Previews = dict[tuple[str, int, str], Json]


@pytest.fixture(scope="module")
def previews(s3: S3) -> Previews:
    """What `fastload preview` says of every sample, by file, document and place."""
    for model in {entry["model"] for entry in preview(FILES, "--offline")}:
        if found := re.fullmatch(r"s3://([a-z0-9][a-z0-9.-]{2,62})/(.+?)/*", model or ""):
            s3.store(Model(found[1], found[2], 4, 60 * GIB))
    enforced = [path for path in FILES if namespace_of(path) in ENFORCED]
    entries = [
        *preview([path for path in FILES if path not in enforced], "--s3-endpoint", s3.endpoint),
        *preview(
            enforced, "--s3-endpoint", s3.endpoint, "--namespace-labels", "pod-security.kubernetes.io/enforce=baseline"
        ),
    ]
    return {(e["source"]["file"], e["source"]["document"], e["source"]["path"]): e for e in entries}


@pytest.fixture(scope="module")
def namespaces(control_plane: ControlPlane, client: httpx.Client, webhook: Webhook) -> dict[str, Namespace]:
    """The samples' namespaces, and what else the API server wants to be there before it takes a pod."""
    assert webhook.is_ready()
    runtime = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "nvidia"},
        "handler": "nvidia",
    }
    control_plane.apply(runtime)
    names = {namespace_of(path) for path in FILES} - {"default"}
    for name in names:
        level = ENFORCED.get(name)
        control_plane.create_namespace(name, {ENFORCE: level} if level else {})
    for path in FILES:
        for _, template in templates(path):
            if account := template.template["spec"].get("serviceAccountName"):
                meta = {"name": account, "namespace": namespace_of(path)}
                control_plane.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta})
    return {name: Namespace(control_plane, client, name) for name in (*names, "default")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_a_sample_is_made_as_the_preview_says_and_left_alone_from_then_on(
    path: Path, previews: Previews, namespaces: dict[str, Namespace]
) -> None:
    namespace = namespaces[namespace_of(path)]
    for document, template in templates(path):
        if not accepts(namespace, pod_of(template)):
            assert not accepts(namespace, opted_in(pod_of(template)))
            continue
        pod = namespace.create_pod(opted_in(pod_of(template)))
        namespace.delete_pod(pod)  # the next sample may have its name
        expected = previews[str(path), document, template.pointer]
        assert_as_previewed(pod, expected)
        assert_left_alone(namespace, pod)


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if yaml.safe_load(path.read_text())["kind"] in MADE_HERE],
    ids=lambda path: str(path.relative_to(CASES)),
)
def test_the_pods_of_a_sample_workload_are_made_as_the_preview_says(
    path: Path, previews: Previews, namespaces: dict[str, Namespace]
) -> None:
    namespace = namespaces[namespace_of(path)]
    workload: Json = yaml.safe_load(path.read_text())
    # Under a name and labels of its own, since samples share theirs or have none.
    workload["metadata"]["name"] = name = f"case-{uuid.uuid4().hex[:8]}"
    workload["spec"] |= {"replicas": 1, "selector": {"matchLabels": {"case": name}}}
    workload["spec"]["template"] = template = opted_in(workload["spec"]["template"])
    template["metadata"]["labels"] = {"case": name}

    namespace.apply(workload)

    def made() -> list[Json]:
        return [pod for pod in namespace.pods() if pod["metadata"].get("labels", {}).get("case") == name]

    assert_as_previewed(wait_until(made, what=f"pods of {path.name}")[0], previews[str(path), 1, "/spec/template"])


def preview(paths: list[Path], *options: str) -> list[Json]:
    files = [argument for path in paths for argument in ("-f", str(path))]
    done = subprocess.run(
        [FASTLOAD, "preview", *files, "-o", "json", *options], env=environment(), capture_output=True, check=True
    )
    entries: list[Json] = json.loads(done.stdout)["pods"]
    return entries


def templates(path: Path) -> Iterator[tuple[int, Template]]:
    """The pod templates of a sample, each with the number of its document."""
    for number, document in enumerate(yaml.safe_load_all(path.read_text()), start=1):
        for template in find_templates(document):
            yield number, template


def namespace_of(path: Path) -> str:
    return next((template.namespace for _, template in templates(path) if template.namespace), "default")


def pod_of(template: Template) -> Json:
    """The sample's pod, or the one that its workload's controller would make."""
    pod = deepcopy(template.template)
    metadata = pod.get("metadata") or {}
    kept = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
    name = {"name": template.name} if template.kind == "Pod" else {"generateName": f"{template.name}-"}
    for container in pod["spec"]["containers"]:
        added = [{"name": name, "value": value} for name, value in template.ambient.items()]
        if added:
            container["env"] = [*(container.get("env") or ()), *added]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**name, **kept}, "spec": pod["spec"]}


def opted_in(pod: Json) -> Json:
    metadata = pod.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), INJECT: "true"}
    return {**pod, "metadata": {**metadata, "annotations": annotations}}


def accepts(namespace: Namespace, pod: Json) -> bool:
    try:
        namespace.create_pod(pod, dry_run=True)
    except RefusedError:
        return False
    return True


def assert_as_previewed(pod: Json, expected: Json) -> None:
    assert annotation(pod, STATUS) == expected["status"]
    assert set((annotation(pod, REASONS) or "").split(",")) - {""} == {reason["code"] for reason in expected["reasons"]}
    settings = {(each["name"], each["value"]) for each in expected["settings"]}
    assert settings <= env_of(pod, expected["container"])
    if expected["source"]["path"] == "":
        assert host_paths(pod) == host_paths(expected["patched"])


def env_of(pod: Json, container: str | None) -> set[tuple[str, Any]]:
    """The environment of a container, or of a native sidecar."""
    containers = [*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())]
    entries = [entry for each in containers if each["name"] == container for entry in each.get("env", ())]
    return {(entry["name"], entry.get("value")) for entry in entries}


def assert_left_alone(namespace: Namespace, pod: Json) -> None:
    metadata = {key: pod["metadata"][key] for key in ("name", "annotations")}
    again = namespace.create_pod({**pod, "metadata": metadata, "status": {}}, dry_run=True)
    assert again["spec"] == pod["spec"]
    assert again["metadata"]["annotations"] == pod["metadata"]["annotations"]
