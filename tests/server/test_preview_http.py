"""`POST /preview` of the real server: what the command line says, what a review does, and what is refused."""

import base64
import json
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from click.testing import CliRunner

from demo.webhook import Running
from tests.serving import PATIENCE_SECONDS, Serve, eventually, held_up, review, tls
from webhook.cli import main
from webhook.server.certificates import Files

CASES = Path(__file__).parent.parent / "cases"
FILES = sorted(CASES.rglob("*.yaml"))
YAML = {"content-type": "application/yaml"}
POD = yaml.safe_dump(review()["request"]["object"])


def post(running: Running, content: str | bytes, query: str = "", **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.post(f"{running.admin}/preview?{query}", content=content, headers=YAML | named, timeout=60)


def pods(running: Running, content: str, query: str = "") -> list[dict[str, Any]]:
    reply = post(running, content, query)
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-type"] == "application/json"
    found: list[dict[str, Any]] = reply.json()["pods"]
    return found


def printed(content: bytes, *flags: str) -> object:
    result = CliRunner().invoke(main, ["preview", "-f", "-", "-o", "json", *flags], input=content)
    assert result.exit_code == 0, result.output
    printed: object = json.loads(result.stdout)
    return printed


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_every_sample_is_answered_as_the_command_prints_it(running: Running, path: Path) -> None:
    content = path.read_bytes()
    reply = post(running, content, "offline=true&shards=17&model-size=67Gi")
    assert reply.json() == printed(content, "--offline", "--shards", "17", "--model-size", "67Gi")


@pytest.mark.parametrize(
    ("query", "flags"),
    [
        pytest.param("offline=true", ["--offline"], id="offline"),
        pytest.param("shards=3&model_size=9Gi", ["--shards", "3", "--model-size", "9Gi"], id="a declared listing"),
        pytest.param(
            "offline=1&instance-type=g6e.12xlarge,p5.48xlarge&instance-type=p4d.24xlarge",
            ["--offline", "--instance-type", "g6e.12xlarge,p5.48xlarge", "--instance-type", "p4d.24xlarge"],
            id="instance types",
        ),
        pytest.param(
            "offline=true&namespace-labels=fastload.dev/inject%3Denabled",
            ["--offline", "--namespace-labels", "fastload.dev/inject=enabled"],
            id="labels",
        ),
    ],
)
def test_a_parameter_is_the_flag_of_its_name(running: Running, query: str, flags: list[str]) -> None:
    content = FILES[0].read_bytes()
    assert post(running, content, query).json() == printed(content, *flags)


@pytest.mark.parametrize(
    ("form", "media_type"),
    [
        ("json", "application/json"),
        ("yaml", "application/yaml"),
        ("diff", "text/x-diff; charset=utf-8"),
        ("patch", "application/x-ndjson"),
        ("kustomize", "application/yaml"),
    ],
)
def test_every_form_is_the_commands(running: Running, form: str, media_type: str) -> None:
    reply = post(running, POD, f"offline=true&output={form}")
    assert reply.headers["content-type"] == media_type
    command = CliRunner().invoke(main, ["preview", "-f", "-", "--offline", "-o", form], input=POD)
    assert reply.json() == json.loads(command.stdout) if form == "json" else reply.text == command.stdout


def test_the_patched_documents_may_be_left_out(running: Running) -> None:
    (pod,) = pods(running, POD, "offline=true&patched=false")
    assert "patched" not in pod
    assert pod["patch"]
    assert len(pods(running, LONG_LIST, "offline=true&patched=false")) == 500


def test_a_price_that_is_given_wins(running: Running) -> None:
    (pod,) = pods(running, POD, "price-per-hour=40&instance-type=p5.48xlarge")
    assert pod["estimate"]["money"]["price"]["usd_per_hour"]["high"] <= 40


def test_notes_are_in_the_answer_or_in_headers(running: Running) -> None:
    hidden = yaml.safe_load(POD)
    hidden["spec"]["containers"][0]["envFrom"] = [{"secretRef": {"name": "mine"}}]
    content = yaml.safe_dump(hidden)
    only, incomplete = post(running, content, "offline=true").json()["notes"]
    assert (only["code"], incomplete["code"]) == ("only-in-pods", "incomplete")
    reply = post(running, content, "offline=true&output=yaml")
    assert reply.text == content
    assert reply.headers["warning"] == f'299 - "{only["text"]}", 299 - "{incomplete["text"]}"'


def test_a_note_on_a_name_without_end_is_cut_in_the_header(running: Running) -> None:
    hidden = yaml.safe_load(POD)
    hidden["metadata"]["name"] = "n" * 100_000
    hidden["spec"]["containers"][0]["envFrom"] = [{"secretRef": {"name": "mine"}}]
    reply = post(running, yaml.safe_dump(hidden), "offline=true&output=yaml")
    assert reply.status_code == 200
    assert reply.headers["warning"].startswith('299 - "Pod nnn')
    assert len(reply.headers["warning"]) < 2_100


def test_a_pod_gets_the_patch_of_its_review(running: Running, shared_files: Files) -> None:
    sent = review()
    with httpx.Client(verify=tls(shared_files.authority)) as client:
        response = client.post(running.reviews, json=sent).json()["response"]
    (pod,) = pods(running, json.dumps(sent))
    patch = json.loads(base64.b64decode(response["patch"]))
    added = {operation["path"] for operation in patch}
    inside = [each | {"path": each["path"].removeprefix("/request/object")} for each in pod["patch"]]
    assert [each for each in patch if each["path"] in {each["path"] for each in inside}] == inside
    assert all("/metadata/annotations" in path for path in added - {each["path"] for each in inside})
    assert pod["shards"]["count"] == 17


def test_assumptions_go_before_what_is_looked_up(running: Running) -> None:
    (pod,) = pods(running, POD, "namespace-labels=pod-security.kubernetes.io/enforce%3Dbaseline")
    assert pod["shards"]["count"] == 17
    assert pod["cache"] == "skip"


def test_a_bucket_that_is_not_allowed_is_not_asked(running: Running) -> None:
    (pod,) = pods(running, POD.replace("s3://fastload-demo/", "s3://somebody-elses/"))
    assert pod["shards"] is None
    assert "bucket-not-allowed" in [reason["code"] for reason in pod["reasons"]]
    (pod,) = pods(running, POD.replace("HF_TOKEN", "AWS_ENDPOINT_URL").replace("hf_do_not_log_me", "http://10.0.0.1"))
    assert "endpoint-not-allowed" in [reason["code"] for reason in pod["reasons"]]


def test_values_of_the_environment_are_in_the_answer_and_in_no_log(running: Running, shared_log: Path) -> None:
    (pod,) = pods(running, POD)
    assert {"name": "HF_TOKEN", "value": "hf_do_not_log_me"} in pod["patched"]["spec"]["containers"][0]["env"]
    post(running, POD + "\n\tx")
    assert "hf_do_not_log_me" not in shared_log.read_text()


def bomb() -> str:
    lines = ["a: &a {k: 1}"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    return "\n".join(lines)


LONG_LIST = json.dumps(
    {"kind": "List", "items": [{"kind": "Pod", "spec": {"containers": [{"name": "c" * 400}]}}] * 500}
)


@pytest.mark.parametrize(
    ("content", "status", "told"),
    [
        pytest.param("a:\n\tb: 1", 400, {"document": 1, "line": 2, "detail": "not YAML: a tab"}, id="tab"),
        pytest.param(b"a: 1\nb: \xff", 400, {"line": 2, "detail": "not UTF-8 text: byte 0xff"}, id="not UTF-8"),
        pytest.param("a: 1\n---\n- b", 400, {"document": 2, "detail": "a list, not a Kubernetes"}, id="no object"),
        pytest.param("a: &x [*x]", 400, {"document": 1, "detail": "an alias that contains itself"}, id="cyclic alias"),
        pytest.param(bomb(), 400, {"line": 7, "detail": "aliases expand to over"}, id="bomb"),
        pytest.param("- a\n" * 1_500_000, 400, {"document": 1, "detail": "not YAML: more than"}, id="many values"),
        pytest.param("---\n" * 1_500_000, 400, {"detail": "more than 2000 documents"}, id="many documents"),
        pytest.param('{"a":' * 1_000_000, 400, {"detail": "nested more than"}, id="deep"),
        pytest.param(
            "kind: Deployment\nspec: {template: {spec: {containers: [{name: 1}]}}}",
            400,
            {
                "document": 1,
                "line": 2,
                "path": "/spec/template/spec/containers/0/name",
                "detail": "the pod at /spec/template cannot be read",
            },
            id="no pod",
        ),
        pytest.param(b"\0" * 50_000_000, 413, {"detail": "larger than 6291456 bytes"}, id="50 MB"),
        pytest.param(
            json.dumps({"kind": "List", "items": [{"kind": "Pod", "spec": {"containers": [{"name": "c"}]}}] * 50_000}),
            400,
            {"document": 1, "detail": "more than 2000 pods"},
            id="a list without end",
        ),
        pytest.param(
            '{"kind": "Pod", "metadata": {"name": "\\ud800"}}', 400, {"document": 1, "detail": "half of"}, id="half"
        ),
        pytest.param(LONG_LIST, 413, {"detail": "ask with patched=false"}, id="a list of many"),
    ],
)
def test_what_cannot_be_previewed_is_a_problem_that_says_where(
    running: Running, content: str | bytes, status: int, told: dict[str, Any]
) -> None:
    reply = post(running, content)
    problem = reply.json()
    assert reply.status_code == problem["status"] == status
    assert reply.headers["content-type"] == "application/problem+json"
    assert problem.keys() >= {"type", "title", "detail"}
    assert told.pop("detail") in problem["detail"]
    assert {key: problem[key] for key in told} == told


def test_a_pod_of_no_namespace_is_in_the_one_that_is_asked_for(running: Running) -> None:
    (pod,) = pods(running, POD, "offline=true&shards=1&model-size=1Gi&namespace=batch")
    volume = next(each for each in pod["patched"]["spec"]["volumes"] if each["name"] == "fastload-cache")
    assert "/batch/" in volume["hostPath"]["path"]


def test_a_large_body_of_no_declared_length_is_refused_too(running: Running) -> None:
    pieces = (b"#" * 2**20 for _ in range(50))
    reply = httpx.post(f"{running.admin}/preview", content=pieces, headers=YAML)
    assert reply.status_code == 413


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        pytest.param("shards=many", "`$.shards`", id="no number"),
        pytest.param("shards=0&model-size=1Gi", "`$.shards`", id="none"),
        pytest.param("shards=3", "shards and model-size stand for a listing together", id="one of two"),
        pytest.param("shards=3&model-size=big", "model-size: 'big' is not a quantity", id="no quantity"),
        pytest.param("shards=3&model-size=", "model-size: ", id="an empty quantity"),
        pytest.param("namespace-labels=team", "namespace-labels has 'team'", id="no label"),
        pytest.param("price-per-hour=nan", "`$.price-per-hour`", id="no price"),
        pytest.param("output=xml", "`$.output`", id="no such output"),
        pytest.param("offline=perhaps", "`$.offline`", id="neither true nor false"),
        pytest.param("namespace=../other", "`$.namespace`", id="no namespace"),
        pytest.param("shards=1&shards=2&model-size=1Gi", "shards is given more than once", id="twice"),
        pytest.param(
            "model-size=1Gi&model_size=1Gi", "model-size is given more than once", id="twice, in two spellings"
        ),
        pytest.param("s3-endpoint=http://10.0.0.1", "no parameter 's3-endpoint'; there are offline", id="ours"),
    ],
)
def test_a_parameter_that_is_not_understood_is_named(running: Running, query: str, detail: str) -> None:
    reply = post(running, POD, query)
    assert reply.status_code == 422
    assert detail in reply.json()["detail"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({"origin": "http://evil.example"}, 403, id="another origin"),
        pytest.param({"origin": "null"}, 403, id="an origin that is not told"),
        pytest.param({"origin": "http://["}, 403, id="an origin that is none"),
        pytest.param({"sec_fetch_site": "cross-site"}, 403, id="another site"),
        pytest.param({"sec_fetch_site": "same-site"}, 403, id="a neighbour"),
        pytest.param({"origin": "http://evil.example", "content_type": "text/plain"}, 403, id="a form"),
        pytest.param({"content_type": "application/x-www-form-urlencoded"}, 415, id="curl without a type"),
        pytest.param({"content_type": ""}, 415, id="no type"),
        pytest.param({"content_encoding": "gzip"}, 415, id="packed"),
        pytest.param({"sec_fetch_site": "same-origin"}, 200, id="its own page"),
        pytest.param(
            {"sec_fetch_site": "same-origin", "origin": "http://localhost:8001"}, 200, id="its own page behind a proxy"
        ),
        pytest.param({"sec_fetch_site": "cross-site", "origin": "null"}, 403, id="another page in a sandbox"),
        pytest.param({"host": "evil.example:80", "origin": "http://evil.example:80"}, 403, id="a name led here"),
        pytest.param(
            {"host": "evil.example", "origin": "http://evil.example", "sec_fetch_site": "same-origin"},
            403,
            id="a name led here, by a browser that tells of the site",
        ),
        pytest.param({"host": "fastload.fastload.svc", "origin": "http://fastload.fastload.svc"}, 200, id="a service"),
        pytest.param({"host": "[::1]:8080", "origin": "http://[::1]:8080"}, 200, id="an address"),
        pytest.param({"host": "tools", "origin": "http://tools"}, 200, id="a name that no public DNS gives out"),
        pytest.param({"content_type": "text/plain; charset=utf-8"}, 200, id="text from a program"),
    ],
)
def test_only_programs_and_its_own_page_may_ask(running: Running, headers: dict[str, str], status: int) -> None:
    reply = post(running, POD, "offline=true", **headers)
    assert reply.status_code == status
    assert not [name for name in reply.headers if name.startswith("access-control-")]


def test_its_own_origin_is_its_own(running: Running) -> None:
    assert post(running, POD, "offline=true", origin=running.admin).status_code == 200


def test_a_name_that_is_listed_is_its_own(serve: Serve, s3: str) -> None:
    running = serve(s3_endpoint=s3, preview_hosts="*.tools.example")
    for host, status in (("fastload.tools.example", 200), ("fastload.example", 403)):
        reply = post(running, POD, "offline=true", host=host, origin=f"https://{host}")
        assert reply.status_code == status


def test_there_is_no_preview_on_the_port_of_reviews(serve: Serve, s3: str, client: httpx.Client) -> None:
    running = serve(s3_endpoint=s3)
    assert client.post(running.reviews.replace("/mutate", "/preview"), content=POD).status_code == 404


def outcomes(running: Running) -> dict[str, float]:
    lines = httpx.get(f"{running.admin}/metrics").text.splitlines()
    series = [line for line in lines if line.startswith("fastload_previews_total{")]
    return {line.partition('"')[2].partition('"')[0]: float(line.rpartition(" ")[2]) for line in series}


def test_one_too_many_is_told_to_come_again_and_reviews_go_on(serve: Serve, s3: str, client: httpx.Client) -> None:
    with held_up(s3) as (slow, released):
        running = serve(s3_endpoint=slow, deadline_seconds="30", previews_at_once="1")
        replies: list[httpx.Response] = []
        sending = threading.Thread(target=lambda: replies.append(post(running, POD)))
        sending.start()
        eventually(lambda: 'result="miss"} 1.0' in httpx.get(f"{running.admin}/metrics").text)
        busy = post(running, POD, "offline=true")
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
        sent = review()
        sent["request"]["object"]["spec"]["containers"][0]["args"] = ["--model=Qwen/Qwen3-8B"]
        assert client.post(running.reviews, json=sent).json()["response"]["allowed"]
        released.set()
        sending.join()
    assert replies[0].json()["pods"][0]["shards"]["count"] == 17
    assert post(running, POD, "offline=true").status_code == 200
    assert outcomes(running) == {"previewed": 2, "refused": 0, "busy": 1, "late": 0, "failed": 0}


def test_a_preview_that_takes_too_long_is_given_up_and_makes_room(serve: Serve, s3: str) -> None:
    with held_up(s3) as (slow, _released):
        running = serve(s3_endpoint=slow, deadline_seconds="60", preview_seconds="0.3", previews_at_once="1")
        late = post(running, POD)
        assert late.status_code == 504
        assert "longer than 0.3 s" in late.json()["detail"]
        eventually(lambda: post(running, POD, "offline=true").status_code == 200)
    assert outcomes(running)["late"] == 1


def test_a_preview_under_way_does_not_keep_the_process_alive(serve: Serve, s3: str) -> None:
    with held_up(s3) as (slow, _released):
        running = serve(s3_endpoint=slow, deadline_seconds="0.5", preview_seconds="600", previews_at_once="1")
        pod = "---\n".join(POD.replace("fastload-demo", f"fastload-{number}") for number in range(100))

        def ask() -> None:
            with suppress(httpx.HTTPError):
                post(running, pod)

        sending = threading.Thread(target=ask)
        sending.start()
        eventually(lambda: 'result="miss"}' in httpx.get(f"{running.admin}/metrics").text)
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(PATIENCE_SECONDS) == 0
        sending.join()
