"""`fastload preview`: the JSON contract, the other forms, the flags, and how it fails."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonpatch
import pytest
import yaml
from click.testing import CliRunner, Result

from demo.webhook import FASTLOAD
from tests.cli.manifests import POD
from webhook.cli import main

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: qwen, namespace: serving}
spec:
  template:
    spec:
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.19.1
          args: [--model=s3://models/qwen]
"""
SIDECAR = "apiVersion: v1\nkind: Service\nmetadata: {name: qwen}\n"
LWS = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: big}
spec:
  leaderWorkerTemplate:
    size: 2
    leaderTemplate: &template
      spec:
        containers:
          - name: sglang
            command: [python3, -m, sglang.launch_server, --model-path, s3://models/big, --tp, "16"]
    workerTemplate: *template
"""
DECLARED = ["--offline", "--shards", "17", "--model-size", "67Gi"]
FIELDS = [
    "source",
    "opted_in",
    "status",
    "engine",
    "container",
    "model",
    "load_format",
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "data_parallel_size",
    "streamer",
    "retry",
    "cache",
    "parts",
    "already_tuned",
    "shards",
    "instance_types",
    "settings",
    "reasons",
    "advice",
    "estimate",
    "patch",
    "patched",
]


def stream(*manifests: str) -> str:
    return "---\n".join(manifests)


def preview(*arguments: str, manifest: str = POD) -> Result:
    return CliRunner().invoke(main, ["preview", "-f", "-", *arguments], input=manifest)


def pods(*arguments: str, manifest: str = POD) -> list[dict[str, Any]]:
    result = preview(*arguments, "-o", "json", manifest=manifest)
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)["pods"]
    return found


def test_the_json_has_every_field_of_the_contract() -> None:
    (pod,) = pods(*DECLARED)
    assert list(pod) == FIELDS
    assert pod["source"] == {"file": "-", "document": 1, "kind": "Pod", "name": "qwen", "path": ""}
    assert pod["opted_in"] is True
    assert pod["status"] == "injected"
    assert (pod["engine"], pod["container"], pod["model"]) == ("vllm", "vllm", "s3://models/qwen")
    assert [pod[f"{kind}_parallel_size"] for kind in ("tensor", "pipeline", "data")] == [2, 1, 1]
    assert [pod[part] for part in ("streamer", "retry", "cache")] == ["tune", "tune", "tune"]
    assert pod["shards"] == {"count": 17, "bytes": 67 * 2**30, "largest_bytes": -(-67 * 2**30 // 17)}
    assert pod["instance_types"] == ["p5.48xlarge"]


def test_the_published_case_comes_out_as_published() -> None:
    (pod,) = pods(*DECLARED)
    settings = {setting["name"]: setting["value"] for setting in pod["settings"]}
    assert (
        settings.items()
        >= {
            "RUNAI_STREAMER_CONCURRENCY": "17",
            "RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS": "3000",
            "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT": "1048576",
        }.items()
    )
    assert all(setting["reason"] for setting in pod["settings"])
    assert all(reason.keys() == {"code", "text"} for reason in (*pod["reasons"], *pod["advice"]))


def test_the_patch_makes_the_patched_document_of_the_given_one() -> None:
    (pod,) = pods(*DECLARED, manifest=DEPLOYMENT)
    given = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "qwen", "namespace": "serving"},
        "spec": {
            "template": {
                "spec": {
                    "containers": [
                        {"name": "vllm", "image": "vllm/vllm-openai:v0.19.1", "args": ["--model=s3://models/qwen"]}
                    ]
                }
            }
        },
    }
    assert pod["source"]["path"] == "/spec/template"
    assert jsonpatch.apply_patch(given, pod["patch"]) == pod["patched"]
    assert pod["patched"]["spec"]["template"]["spec"]["containers"][0]["env"]


def test_a_pod_that_did_not_opt_in_is_shown_as_if_it_had() -> None:
    (pod,) = pods(*DECLARED, manifest=DEPLOYMENT)
    assert pod["opted_in"] is False
    assert pod["streamer"] == "tune"


ON_ITSELF = DEPLOYMENT.replace("namespace: serving}", 'namespace: serving, annotations: {fastload.dev/inject: "true"}}')


@pytest.mark.parametrize("listed", [False, True])
def test_annotations_on_the_workload_itself_are_told_of_as_kubectl_apply_does(*, listed: bool) -> None:
    manifest = ON_ITSELF
    if listed:
        manifest = json.dumps({"kind": "List", "items": [*yaml.safe_load_all(ON_ITSELF)]})
    (pod,) = pods(*DECLARED, manifest=manifest)
    assert pod["opted_in"] is False
    assert pod["reasons"][0] == {
        "code": "misplaced-annotation",
        "text": "fastload.dev/inject on the Deployment itself steers nothing: fastload reads "
        "spec.template.metadata.annotations",
    }
    assert "misplaced-annotation" in preview(*DECLARED, manifest=manifest).stdout


def test_a_namespaces_label_opts_in() -> None:
    (pod,) = pods(*DECLARED, "--namespace-labels", "team=a,fastload.dev/inject=enabled", manifest=DEPLOYMENT)
    assert pod["opted_in"] is True


def test_a_namespaces_label_forbids_the_node_as_the_caches_place() -> None:
    (pod,) = pods(*DECLARED, "--namespace-labels", "pod-security.kubernetes.io/enforce=baseline")
    assert pod["cache"] == "skip"
    assert "hostPath" not in json.dumps(pod["patch"])


def test_every_template_and_document_has_its_entry() -> None:
    found = pods(*DECLARED, manifest=stream(SIDECAR, LWS, POD))
    places = [(pod["source"]["document"], pod["source"]["kind"], pod["source"]["path"]) for pod in found]
    assert places == [
        (2, "LeaderWorkerSet", "/spec/leaderWorkerTemplate/leaderTemplate"),
        (2, "LeaderWorkerSet", "/spec/leaderWorkerTemplate/workerTemplate"),
        (3, "Pod", ""),
    ]


RAY_WORKER = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: big}
spec:
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      metadata: {annotations: {ANNOTATIONS}}
      spec:
        containers:
          - name: vllm
            image: vllm/vllm-openai:v0.19.1
            command: [sh, -c, "bash /vllm-workspace/multi-node-serving.sh worker --ray_address=$(LWS_LEADER_ADDRESS)"]
            resources: {limits: {nvidia.com/gpu: "8"}}
"""


@pytest.mark.parametrize(
    ("annotations", "told"),
    [
        pytest.param({}, ("no-engine", "annotations engine, model and tensor-parallel-size"), id="none"),
        pytest.param({"engine": "vllm"}, ("model-untold", "fastload.dev/tensor-parallel-size"), id="engine alone"),
        pytest.param(
            {"engine": "vllm", "model": "s3://models/big", "tensor-parallel-size": "8"},
            ("launch-unread", "neither is set here"),
            id="all three",
        ),
    ],
)
def test_a_ray_worker_is_told_which_annotations_make_it_work(
    annotations: dict[str, str], told: tuple[str, str]
) -> None:
    named = ", ".join(f'fastload.dev/{name}: "{value}"' for name, value in annotations.items())
    (worker,) = pods(*DECLARED, "--instance-type=p5.48xlarge", manifest=RAY_WORKER.replace("ANNOTATIONS", named))
    sentences = {reason["code"]: reason["text"] for reason in worker["reasons"]}
    assert told[1] in sentences[told[0]]
    set_for_retries = [each["name"] for each in worker["settings"] if each["name"].startswith("RUNAI_STREAMER_S3")]
    assert bool(set_for_retries) is ("model" in annotations)
    assert worker["cache"] == ("tune" if annotations else "skip")


def test_a_list_and_a_review_are_read_too() -> None:
    pod = {"kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "command": ["sleep"]}]}}
    review = {
        "kind": "AdmissionReview",
        "request": {"namespace": "serving", "object": {**pod, "metadata": {"generateName": "b-"}}},
    }
    found = pods("--offline", manifest=json.dumps({"kind": "List", "items": [pod]}) + json.dumps(review))
    assert [(each["source"]["name"], each["source"]["path"]) for each in found] == [
        ("a", "/items/0"),
        ("b-", "/request/object"),
    ]
    assert {each["engine"] for each in found} == {"none"}
    assert {each["status"] for each in found} == {"skipped"}


def test_instance_types_are_taken_from_flags_where_the_pod_names_none() -> None:
    (pod,) = pods(*DECLARED, "--instance-type", "g6e.12xlarge,p5.48xlarge", manifest=DEPLOYMENT)
    assert pod["instance_types"] == ["g6e.12xlarge", "p5.48xlarge"]


def test_offline_without_a_size_leaves_the_shards_unknown() -> None:
    (pod,) = pods("--offline")
    assert pod["shards"] is None
    assert pod["status"] == "partial"
    assert pod["streamer"] == "tune"


USER_SET = POD.replace("args:", 'env: [{name: RUNAI_STREAMER_CONCURRENCY, value: "8"}]\n      args:')


@pytest.mark.parametrize(
    ("arguments", "manifest", "parts"),
    [
        pytest.param(DECLARED, POD, ("tuned", "tuned", "tuned"), id="all known"),
        pytest.param(["--offline"], POD, ("not-known", "tuned", "tuned"), id="no shards"),
        pytest.param(["--offline"], USER_SET, ("as-set", "tuned", "tuned"), id="the user's concurrency"),
        pytest.param(
            ["--offline"],
            POD.replace("args: [", """args: ['--model-loader-extra-config={"concurrency": 8}', """),
            ("as-set", "tuned", "tuned"),
            id="the loader's",
        ),
        pytest.param(
            ["--offline"],
            POD.replace("nodeSelector: {node.kubernetes.io/instance-type: p5.48xlarge}", "nodeSelector: {}")
            .replace(", fastload.dev/streamer-version: 0.15.9", "")
            .replace('"true"', '"true", fastload.dev/features: "streamer,cache"'),
            ("not-known", "left-alone", "tuned"),
            id="a feature left out",
        ),
        pytest.param(
            [*DECLARED[:2], "1", *DECLARED[3:]],
            POD.replace("args: [", 'args: ["--load-format=tensorizer", '),
            ("left-alone", "left-alone", "tuned"),
            id="not streamed",
        ),
    ],
)
def test_a_part_is_called_tuned_where_something_is_set(
    arguments: list[str], manifest: str, parts: tuple[str, str, str]
) -> None:
    (pod,) = pods(*arguments, manifest=manifest)
    assert tuple(pod["parts"].values()) == parts


def test_a_manifest_that_is_tuned_already_is_called_so() -> None:
    tuned = preview(*DECLARED, "-o", "yaml").stdout
    (pod,) = pods(*DECLARED, manifest=tuned)
    assert (pod["already_tuned"], pod["status"], pod["patch"]) == (True, "skipped", [])
    assert set(pod["parts"].values()) == {"already-tuned"}
    assert preview(*DECLARED, manifest=tuned).stdout.startswith("Pod qwen  already tuned: nothing to add\n")
    marked = POD.replace('"true"', '"true", fastload.dev/status: skipped').replace("--model=s3", "--version=s3")
    assert [each["already_tuned"] for each in pods(*DECLARED, manifest=marked)] == [False]


def notes(result: Result) -> list[str]:
    assert result.exit_code == 0, result.stderr
    return [line.removeprefix("Note: ") for line in result.stderr.splitlines()]


@pytest.mark.parametrize("output", ["text", "json", "yaml", "diff", "kustomize"])
def test_a_pod_that_is_tuned_in_part_is_told_of_with_what_is_missing(output: str) -> None:
    told = notes(preview("--offline", "-o", output, manifest=stream(POD, POD)))
    assert told[0] == (
        "Pod qwen and another pod are tuned in part: s3://models/qwen/ was not looked up: this is an offline preview. "
        "In place of a listing, give --shards COUNT and --model-size QUANTITY"
    )
    assert not any("in part" in note for note in notes(preview(*DECLARED, "-o", output)))


@pytest.mark.parametrize(
    ("manifest", "told"),
    [
        (POD.replace("s3://", "gs://"), "give the annotations fastload.dev/shards and fastload.dev/model-size"),
        (POD.replace("p5.48xlarge", "x9.large"), "which instance type the pods get is not known. Give --instance-type"),
    ],
)
def test_a_gap_names_what_would_fill_it(manifest: str, told: str) -> None:
    (note,) = notes(preview(*(["--offline"] if "gs://" in manifest else DECLARED), manifest=manifest))
    assert told in note


def test_without_credentials_of_ones_own_the_flags_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    (told,) = notes(preview())
    assert told == (
        "Pod qwen is tuned in part: no AWS credentials were found to list s3://models/qwen/ with. In place of a "
        "listing, give --shards COUNT and --model-size QUANTITY"
    )


def test_a_misspelt_instance_type_is_asked_about() -> None:
    told = notes(preview(*DECLARED, "--instance-type", "p5.48xlrge", manifest=DEPLOYMENT))
    assert told[-1] == ("there is no instance type p5.48xlrge in fastload's catalogue; did you mean p5.48xlarge?")


@pytest.mark.parametrize("output", ["yaml", "kustomize"])
def test_a_manifest_with_a_folder_of_the_node_says_that_the_namespace_is_in_its_path(output: str) -> None:
    (told,) = notes(preview(*DECLARED, "-o", output, "-n", "prod"))
    assert "here prod; a namespace that kustomize or another tool sets later does not change them" in told
    assert (
        notes(preview(*DECLARED, "-o", output, "--namespace-labels", "pod-security.kubernetes.io/enforce=baseline"))
        == []
    )


def test_operators_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTLOAD_CACHE_ROOTS", "/mnt/fast")
    (pod,) = pods(*DECLARED)
    assert "/mnt/fast/default/" in json.dumps(pod["patch"])


def test_yaml_is_the_whole_stream_patched() -> None:
    result = preview(*DECLARED, "-o", "yaml", manifest=stream(SIDECAR, LWS))
    service, workload = result.stdout.split("---\n")
    assert service == SIDECAR
    # Leader and workers get the same, so they still share it.
    assert workload.count("fastload.dev/status") == 1
    assert workload.endswith("    workerTemplate: *template\n")


def test_diff_shows_what_is_added_and_nothing_for_what_stays() -> None:
    lines = preview(*DECLARED, "-o", "diff", manifest=stream(SIDECAR, POD)).stdout.splitlines()
    assert lines[:2] == ["--- -", "+++ -"]
    assert "+        - name: RUNAI_STREAMER_CONCURRENCY" in lines
    # Of a mapping in braces the line itself has to change.
    removed = [line for line in lines[2:] if line.startswith("-")]
    assert removed == ['-  annotations: {fastload.dev/inject: "true", fastload.dev/streamer-version: 0.15.9}']


def test_patch_is_a_line_of_json_for_each_document() -> None:
    lines = preview(*DECLARED, "-o", "patch", manifest=stream(SIDECAR, POD)).stdout.splitlines()
    assert [bool(json.loads(line)) for line in lines] == [False, True]


def test_the_estimate_is_published_or_fitted_and_priced() -> None:
    (pod,) = pods(*DECLARED)
    estimate = pod["estimate"]
    assert [each["name"] for each in estimate["scenarios"]] == ["today", "first-pod", "next-pods"]
    assert estimate["scenarios"][0]["layers"][0] == {
        "name": "node-provisioning",
        "seconds": {"low": 60.0, "high": 90.0},
        "basis": "published",
    }
    assert estimate["saved"]["next_pods"]["low"] > estimate["saved"]["first_pod"]["low"] > 0
    assert estimate["money"]["price"]["usd_per_hour"] == {"low": 13.75, "high": 13.75}
    assert all(note.keys() == {"code", "text"} for note in estimate["notes"])


def test_a_price_that_is_given_wins() -> None:
    (pod,) = pods(*DECLARED, "--price-per-hour", "40")
    assert pod["estimate"]["money"]["price"]["usd_per_hour"] == {"low": 10.0, "high": 10.0}


def test_a_pod_that_is_left_alone_has_no_estimate() -> None:
    (pod,) = pods("--offline", manifest=POD.replace("--model=s3://models/qwen", "--version").replace("vllm", "tool"))
    assert pod["estimate"] is None


@pytest.mark.parametrize("kind", ["InferenceService", "LLMInferenceService", "DynamoGraphDeployment"])
def test_an_object_whose_controller_makes_the_pods_is_explained(kind: str) -> None:
    indirect = f"kind: {kind}\nmetadata: {{name: qwen}}\nspec: {{predictor: {{model: {{}}}}}}\n"
    for manifest in (indirect, json.dumps({"kind": "List", "items": [{"kind": kind, "metadata": {"name": "qwen"}}]})):
        result = preview("--offline", "-o", "json", manifest=manifest)
        assert result.exit_code == 0
        assert result.stderr.startswith(f"Note: {kind} qwen has no pod template: its controller makes the pods")
        told = json.loads(result.stdout)
        assert told["pods"] == []
        assert [(note["code"], note["document"]) for note in told["notes"]] == [("controller-makes-pods", 1)]
        assert f"Note: {told['notes'][0]['text']}\n" == result.stderr


def test_a_misspelt_setting_is_told_of_beside_the_preview(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTLOAD_CACHE_ROOT", "/mnt/fast")
    result = preview(*DECLARED)
    assert result.exit_code == 0
    assert result.stderr.startswith("Warning: FASTLOAD_CACHE_ROOT is ignored")


@pytest.mark.parametrize(
    ("arguments", "manifest", "message"),
    [
        pytest.param([], "a:\n\tb: 1", "standard input, document 1, line 2: not YAML: a tab", id="tab"),
        pytest.param(
            [],
            "kind: Pod\nspec: {containers: [{name: a}, {name: b, env: [{name: X, value: 1}]}]}",
            "standard input, document 1, line 2: Pod: the pod at / cannot be read: Expected `str | null`, got `int` at "
            "/spec/containers/1/env/0/value; put it in quotes",
            id="a pod that the API server would refuse",
        ),
        pytest.param(
            [],
            "kind: Pod\nmetadata: {annotations: {a: b, fastload.dev/inject: true}}\nspec: {containers: []}",
            "line 2: Pod: the pod at / cannot be read: annotation fastload.dev/inject is a truth value; annotations "
            'are text, so quote it: "true"',
            id="an annotation without quotes",
        ),
        pytest.param(
            [], "kind: Pod\nspec: {containers: 5}", "got `int` at /spec/containers\n", id="no text either way"
        ),
        pytest.param(["--shards", "3"], POD, "--shards and --model-size stand for a listing together", id="one of two"),
        pytest.param(
            ["--shards", "3", "--model-size", "big"], POD, "--model-size: 'big' is not a quantity", id="no quantity"
        ),
        pytest.param(["--shards", "3", "--model-size", ""], POD, "--model-size: ", id="an empty quantity"),
        pytest.param(["--shards", "3", "--model-size", "0"], POD, "--model-size is '0'", id="size of nothing"),
        pytest.param(["--namespace-labels", "team"], POD, "--namespace-labels has 'team'", id="no label"),
        pytest.param(["--shards", "0"], POD, "Invalid value for '--shards'", id="no shards"),
        pytest.param(["--price-per-hour", "nan"], POD, "--price-per-hour is no number", id="no price"),
        pytest.param(["--price-per-hour", "0"], POD, "Invalid value for '--price-per-hour'", id="price of nothing"),
        pytest.param(["-o", "xml"], POD, "Invalid value for '-o'", id="no such output"),
    ],
)
def test_what_cannot_be_read_is_named_and_ends_with_status_2(arguments: list[str], manifest: str, message: str) -> None:
    result = preview("--offline", *arguments, manifest=manifest)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["preview", "-f", str(tmp_path / "none.yaml")])
    assert result.exit_code == 2
    assert f"{tmp_path / 'none.yaml'}: no such file or directory" in result.stderr


@pytest.mark.parametrize("output", ["text", "yaml"])
def test_a_full_disk_is_told_of_in_words(tmp_path: Path, output: str) -> None:
    (tmp_path / "pod.yaml").write_text(POD)
    command = [FASTLOAD, "preview", "-f", str(tmp_path / "pod.yaml"), *DECLARED, "-o", output]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith("Error: standard output: no space left on device\n")


def test_a_standard_input_that_is_closed_is_told_of_in_words() -> None:
    command = ["sh", "-c", '"$0" preview -f - <&-', FASTLOAD]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "Error: standard input: closed\n")


def test_a_file_without_end_is_too_large() -> None:
    result = CliRunner().invoke(main, ["preview", "-f", "/dev/zero"])
    assert (result.exit_code, result.stderr) == (2, "Error: /dev/zero: larger than 16 MiB\n")


def test_a_files_name_may_be_any_bytes(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"qwen-\xff.yaml")
    file.write_text(POD)
    result = CliRunner().invoke(main, ["preview", "-f", str(file), *DECLARED, "-o", "json"])
    assert json.loads(result.stdout)["pods"][0]["source"]["file"] == f"{tmp_path}/qwen-\ufffd.yaml"


def test_several_files_are_one_input(tmp_path: Path) -> None:
    for name, manifest in {"a.yaml": POD, "b.yaml": DEPLOYMENT}.items():
        (tmp_path / name).write_text(manifest)
    files = [str(tmp_path / name) for name in ("a.yaml", "b.yaml")]
    result = CliRunner().invoke(main, ["preview", "-f", files[0], "-f", files[1], *DECLARED, "-o", "json"])
    assert [pod["source"]["file"] for pod in json.loads(result.stdout)["pods"]] == files


def test_a_bad_setting_in_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTLOAD_OPEN_FILES", "many")
    result = preview("--offline")
    assert result.exit_code == 2
    assert "FASTLOAD_OPEN_FILES is 'many'; it takes a whole number from 1024" in result.stderr
