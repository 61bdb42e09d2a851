"""`fastload preview --cluster`: what it takes from a cluster, whose word wins, and what happens without rights."""

import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from webhook.cli import main

NODES, POOLS = "/api/v1/nodes", "/apis/karpenter.sh/v1/nodepools"
SERVING, DEFAULT = "/api/v1/namespaces/serving", "/api/v1/namespaces/default"
DECLARED = ["--shards", "17", "--model-size", "67Gi"]
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: qwen}
spec:
  template:
    spec:
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.19.1
          args: [--model=s3://models/qwen]
          resources: {limits: {nvidia.com/gpu: "1"}}
"""


def node(instance_type: str) -> dict[str, Any]:
    labels = {"node.kubernetes.io/instance-type": instance_type}
    return {"metadata": {"name": instance_type, "labels": labels}, "status": {"allocatable": {"nvidia.com/gpu": "8"}}}


def node_pool(instance_type: str) -> dict[str, Any]:
    requirement = {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [instance_type]}
    return {"metadata": {"name": "gpu"}, "spec": {"template": {"spec": {"requirements": [requirement]}}}}


def namespace(**labels: str) -> dict[str, Any]:
    return {"metadata": {"name": "any", "labels": labels}}


class Api:
    """An API server with an answer for each path: a list's items, an object, or the status that it refuses with."""

    def __init__(self, folder: Path) -> None:
        self.answers: dict[str, Any] = {
            NODES: [node("g6.12xlarge")],
            SERVING: namespace(),
            DEFAULT: namespace(),
        }
        self.asked: list[str] = []
        self._folder = folder
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                api.asked.append(f"{self.command} {path}")
                answer = api.answers.get(path, 404)
                body = json.dumps({"items": answer} if isinstance(answer, list) else answer).encode()
                self.send_response(answer if isinstance(answer, int) else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def kubeconfig(self, context_namespace: str | None = "serving", server: str | None = None) -> str:
        """A kubeconfig whose current context leads here."""
        where = {"cluster": "here", "user": "me", **({"namespace": context_namespace} if context_namespace else {})}
        config = {
            "current-context": "prod",
            "contexts": [{"name": "prod", "context": where}],
            "clusters": [{"name": "here", "cluster": {"server": server or self.url}}],
            "users": [{"name": "me", "user": {"token": "secret-token"}}],
        }
        path = self._folder / "kubeconfig"
        path.write_text(json.dumps(config))
        return str(path)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """A cluster that the environment's kubeconfig leads to."""
    api = Api(tmp_path)
    thread = threading.Thread(target=api.server.serve_forever)
    thread.start()
    monkeypatch.setenv("KUBECONFIG", api.kubeconfig())
    yield api
    api.server.shutdown()
    thread.join()
    api.server.server_close()


def preview(*arguments: str, manifest: str = DEPLOYMENT) -> Result:
    return CliRunner().invoke(main, ["preview", "-f", "-", "-o", "json", *DECLARED, *arguments], input=manifest)


def pod(*arguments: str, manifest: str = DEPLOYMENT) -> dict[str, Any]:
    result = preview(*arguments, manifest=manifest)
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)["pods"]
    assert isinstance(found, dict)
    return found


def test_nodes_are_where_the_pod_may_land(api: Api) -> None:
    assert pod("--cluster")["instance_types"] == ["g6.12xlarge"]
    assert {asked.split()[0] for asked in api.asked} == {"GET"}


def test_node_pools_are_where_the_pod_may_land(api: Api) -> None:
    api.answers[POOLS] = [node_pool("p5.48xlarge")]
    assert pod("--cluster")["instance_types"] == ["g6.12xlarge", "p5.48xlarge"]


def test_the_contexts_namespace_is_that_of_a_manifest_without_one(api: Api) -> None:
    api.answers[SERVING] = namespace(**{"fastload.dev/inject": "enabled"})
    assert pod("--cluster")["opted_in"] is True
    assert "/serving/" in json.dumps(pod("--cluster")["patch"])


@pytest.mark.parametrize(
    ("context_namespace", "flags", "metadata", "expected"),
    [
        pytest.param("serving", ["-n", "team"], "", "team", id="the flag's, before the context's"),
        pytest.param(
            "serving", ["--namespace=team"], ", namespace: own", "own", id="the manifest's, before the flag's"
        ),
        pytest.param(None, [], "", "default", id="default, where the context has none"),
    ],
)
def test_whose_namespace_counts(
    api: Api, context_namespace: str | None, flags: list[str], metadata: str, expected: str
) -> None:
    api.kubeconfig(context_namespace)
    api.answers |= {f"/api/v1/namespaces/{name}": namespace() for name in ("team", "own")}
    manifest = DEPLOYMENT.replace("name: qwen}", f"name: qwen{metadata}}}")
    assert f"/{expected}/" in json.dumps(pod("--cluster", *flags, manifest=manifest)["patch"])


def test_a_namespace_may_be_named_without_a_cluster(api: Api) -> None:
    assert "/team/" in json.dumps(pod("-n", "team")["patch"])
    assert "/default/" in json.dumps(pod()["patch"])
    assert api.asked == []


def test_pod_security_of_the_namespace_keeps_the_cache_off_the_node(api: Api) -> None:
    api.answers[SERVING] = namespace(**{"pod-security.kubernetes.io/enforce": "baseline"})
    found = pod("--cluster")
    assert found["cache"] == "skip"
    assert "pod-security" in [reason["code"] for reason in found["reasons"]]


def test_a_flag_wins_over_the_cluster(api: Api) -> None:
    api.answers[SERVING] = namespace(**{"pod-security.kubernetes.io/enforce": "baseline"})
    assert pod("--cluster", "--instance-type", "p5.48xlarge")["instance_types"] == ["p5.48xlarge"]
    assert pod("--cluster", "--namespace-labels", "fastload.dev/inject=enabled")["cache"] == "tune"
    assert f"GET {SERVING}" in api.asked


def test_the_cluster_is_asked_offline_too_and_s3_is_not(api: Api) -> None:
    arguments = ["preview", "-f", "-", "-o", "json", "--offline", "--cluster"]
    result = CliRunner().invoke(main, arguments, input=DEPLOYMENT)
    (found,) = json.loads(result.stdout)["pods"]
    assert found["instance_types"] == ["g6.12xlarge"]
    assert "offline" in [reason["code"] for reason in found["reasons"]]
    assert api.asked


def test_a_namespace_is_read_once_for_all_its_pods(api: Api) -> None:
    assert preview("--cluster", manifest="---\n".join([DEPLOYMENT] * 20)).exit_code == 0
    assert sorted(api.asked) == [f"GET {SERVING}", f"GET {NODES}", f"GET {POOLS}"]


@pytest.mark.parametrize(
    ("answers", "notes"),
    [
        pytest.param({POOLS: 404}, [], id="no Karpenter"),
        pytest.param(
            {NODES: 403, POOLS: []},
            ["no right to list nodes: instance types are taken from NodePools, else from the pod alone"],
            id="no right to nodes",
        ),
        pytest.param(
            {POOLS: 403},
            ["no right to list nodepools.karpenter.sh: types that Karpenter would start are not considered"],
            id="no right to NodePools",
        ),
        pytest.param({NODES: 500}, ["nodes could not be read (/api/v1/nodes: 500 "], id="nodes fail"),
        pytest.param(
            {SERVING: 403}, ["no right to get namespace serving: opt-in and Pod Security"], id="no right to it"
        ),
        pytest.param({SERVING: 404}, ["the cluster has no namespace serving: opt-in and Pod Security"], id="not there"),
        pytest.param({NODES: 403, POOLS: 403}, ["no right to list nodes", "no right to list nodepools"], id="its own"),
    ],
)
def test_what_may_not_be_read_is_told_and_the_preview_goes_on(
    api: Api, answers: Mapping[str, Any], notes: list[str]
) -> None:
    api.answers |= answers
    result = preview("--cluster")
    assert result.exit_code == 0
    assert len(json.loads(result.stdout)["pods"]) == 1
    lines = result.stderr.splitlines()
    assert len(lines) == len(notes)
    assert all(line.startswith(f"Note: --cluster: {note}") for line, note in zip(lines, notes, strict=True))


def test_many_namespaces_are_one_note(api: Api) -> None:
    manifest = "---\n".join(DEPLOYMENT.replace("name: qwen}", f"name: q, namespace: n{at}}}") for at in range(9))
    api.answers |= {f"/api/v1/namespaces/n{at}": 403 for at in range(9)}
    (note,) = preview("--cluster", manifest=manifest).stderr.splitlines()
    assert note.startswith("Note: --cluster: no right to get namespaces n0, n1, n2 and 6 more: ")


def test_no_right_at_all_names_each_that_it_takes(api: Api) -> None:
    api.answers = {NODES: 403, POOLS: 403, SERVING: 403}
    result = preview("--cluster")
    assert (result.exit_code, result.stdout) == (2, "")
    expected = "it takes the rights to list nodes, to list nodepools.karpenter.sh, to get namespace serving"
    assert expected in result.stderr


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--context", "prod"], "--context chooses the cluster that --cluster asks; give --cluster too"),
        (["--kubeconfig", "x"], "--kubeconfig chooses the cluster that --cluster asks; give --cluster too"),
        (["--cluster", "--context", "test"], "has no context 'test'; it has prod"),
        (["--cluster", "--kubeconfig", "/nowhere/config"], "the kubeconfig /nowhere/config: no such file"),
    ],
)
def test_a_choice_that_leads_nowhere_is_refused(api: Api, flags: list[str], message: str) -> None:
    result = preview(*flags)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert api.asked == []


def test_credentials_that_are_not_taken_are_said_so(api: Api) -> None:
    api.answers[NODES] = 401
    result = preview("--cluster")
    assert result.exit_code == 2
    assert f"{api.url} does not take the credentials of context 'prod'" in result.stderr
    assert "secret-token" not in result.output


def test_a_server_that_is_not_there_is_named(api: Api) -> None:
    api.kubeconfig(server="http://127.0.0.1:1")
    result = preview("--cluster")
    assert result.exit_code == 2
    assert "Error: --cluster: http://127.0.0.1:1 of context 'prod' does not answer: Cannot connect" in result.stderr


def test_a_context_that_cannot_be_used_is_named(api: Api) -> None:
    path = Path(api.kubeconfig())
    login = '{"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "false"}}'
    path.write_text(path.read_text().replace('{"token": "secret-token"}', login))
    result = preview("--cluster")
    assert result.exit_code == 2
    assert "--cluster: context 'prod' cannot be used: kubeconfig: false gave no credentials" in result.stderr
    assert api.asked == []


def test_bad_input_is_told_before_a_cluster_is_asked(api: Api) -> None:
    result = preview("--cluster", manifest="a:\n\tb: 1")
    assert result.exit_code == 2
    assert "standard input, document 1, line 2: not YAML: a tab" in result.stderr
    assert api.asked == []
