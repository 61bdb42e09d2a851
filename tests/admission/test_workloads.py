"""Reviews of workloads: what is said of their pods, and that nothing else is done."""

import pytest
import structlog

from tests.patched import apply
from tests.reviews import Json, World1, endpoint, patch_of, pod, response, review
from tests.workloads import INJECT, KINDS, answer_to, review_of, template, warnings_of, workload, workloads
from webhook.admission.decision import Outcome
from webhook.admission.forecast import combined
from webhook.lookup.facts import Namespace, Unknown
from webhook.reasons import Code, because, sentence

GETS = (
    "fastload: container vllm will get RUNAI_STREAMER_CONCURRENCY=17, RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS=3000, "
    "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT=1048576, RUNAI_STREAMER_S3_TIMEOUT=60 and a compile cache (hostPath)"
)
OPTED_IN = Namespace(name="serving", opted_in=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operation", ["CREATE", "UPDATE"])
def test_a_workload_that_asks_is_told_what_its_pods_will_get(kind: str, operation: str) -> None:
    of = workload(kind, template(inject="true"))
    answered = response(workloads(), review_of(of, kind, operation=operation))
    assert answered["warnings"] == [GETS]
    assert answered["auditAnnotations"]["status"] == "injected"
    assert "patch" not in answered


def test_a_dry_run_is_answered_like_any_other_review() -> None:
    of = workload("Deployment", template(inject="true"))
    assert response(workloads(), review_of(of, dryRun=True)) == response(workloads(), review_of(of))


@pytest.mark.parametrize("memory", ["known", "fetched"])
@pytest.mark.parametrize(
    ("annotations", "namespace", "told"),
    [
        pytest.param({"inject": "true"}, Namespace(name="serving"), [GETS], id="the template asks"),
        pytest.param({}, OPTED_IN, [GETS], id="the namespace asks"),
        pytest.param({}, Namespace(name="serving"), [], id="nobody asks"),
        pytest.param({"inject": "false"}, OPTED_IN, [], id="the template declines"),
        pytest.param(
            {}, Unknown(because(Code.NAMESPACE_UNKNOWN, namespace="serving", problem="403")), [], id="not known"
        ),
    ],
)
def test_opt_in_is_that_of_pods(
    annotations: dict[str, str], namespace: Namespace | Unknown, told: list[str], memory: str
) -> None:
    world = World1(namespace=namespace, in_memory=memory == "known")
    said = warnings_of(workload("Deployment", template(**annotations)), world=world)
    assert said == told


def without_engine(**annotations: str) -> Json:
    of = template(**annotations)
    of["spec"]["containers"] = [{"name": "web", "image": "nginx"}]
    return of


def test_a_template_that_asks_and_has_no_engine_is_told_so_and_one_of_a_namespace_is_not() -> None:
    (warning,) = warnings_of(workload("Deployment", without_engine(inject="true")))
    assert warning == f"fastload: pods are left as they are (no-engine): {sentence(Code.NO_ENGINE)}"
    assert warnings_of(workload("Deployment", without_engine()), world=World1(namespace=OPTED_IN)) == []


@pytest.mark.parametrize(
    ("annotations", "warning"),
    [
        pytest.param({"inject": "yes"}, "fastload.dev/inject is not valid: 'yes' is neither", id="inject"),
        pytest.param({"inject": "true", "modle": "s3://b/m"}, "fastload.dev/modle is not valid", id="misspelt"),
        pytest.param({"inject": "true", "shards": "many"}, "fastload.dev/shards is not valid", id="unreadable"),
    ],
)
def test_an_annotation_that_is_not_understood_comes_first(annotations: dict[str, str], warning: str) -> None:
    assert warning in warnings_of(workload("Deployment", template(**annotations)))[0]


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("Deployment", "spec.template.metadata.annotations"),
        ("CronJob", "spec.jobTemplate.spec.template.metadata.annotations"),
        ("LeaderWorkerSet", "spec.leaderWorkerTemplate.workerTemplate.metadata.annotations"),
    ],
)
def test_annotations_on_the_workload_itself_are_told_of(kind: str, path: str) -> None:
    of = workload(kind, template())
    of["metadata"]["annotations"] = {INJECT: "true", "other": "x", "fastload.dev/model": "s3://b/m"}
    answered = answer_to(of, kind)
    assert answered["warnings"] == [
        f"fastload: {INJECT}, fastload.dev/model on the {kind} itself steers nothing: fastload reads {path}"
    ]
    assert answered["auditAnnotations"]["reasons"] == "misplaced-annotation,not-opted-in"


def test_an_annotation_that_the_pods_have_too_is_not_misplaced() -> None:
    of = workload("Deployment", template(inject="true"))
    of["metadata"]["annotations"] = {INJECT: "true"}
    assert warnings_of(of) == [GETS]


DENIED = Unknown(because(Code.S3_ACCESS_DENIED, uri="s3://models/qwen"))


def test_what_is_left_out_is_told_with_its_reason() -> None:
    answered = answer_to(workload("Deployment", template(inject="true")), world=World1(DENIED))
    gets, left_out = answered["warnings"]
    assert "RUNAI_STREAMER_CONCURRENCY" not in gets
    assert left_out.startswith("fastload: left out (s3-access-denied): S3 refused fastload's credentials")
    assert answered["auditAnnotations"]["status"] == "partial"


def test_the_strongest_advice_is_given_and_no_more_than_two() -> None:
    of = template(inject="true")
    engine = of["spec"]["containers"][0]
    engine["image"] = "vllm/vllm-openai:latest"
    engine["args"].append("--enforce-eager")
    engine["resources"]["limits"]["memory"] = "8Gi"
    engine["startupProbe"] = {"periodSeconds": 1, "failureThreshold": 5}
    advice = [warning for warning in warnings_of(workload("Deployment", of)) if ": advice (" in warning]
    assert [each.partition(")")[0] for each in advice] == [
        "fastload: advice (memory-headroom",
        "fastload: advice (startup-probe",
    ]


def test_the_kind_of_cache_is_told() -> None:
    claim = template(inject="true", cache="pvc:shared")
    assert warnings_of(workload("Deployment", claim))[0].endswith(" and a compile cache (claim shared)")
    non_root = template(inject="true")
    non_root["spec"]["securityContext"] = {"runAsUser": 1000}
    assert any(
        "a compile cache (hostPath, made writable by an init container)" in warning
        for warning in warnings_of(workload("Deployment", non_root))
    )


def test_a_list_that_is_too_long_for_one_warning_goes_on_in_the_next() -> None:
    of = template(inject="true", streamer_version="0.15.9", memory_limit="20Gi", cache="pvc:" + "c" * 60)
    of["spec"]["containers"][0]["name"] = "v" * 63
    first, second = warnings_of(workload("Deployment", of))[:2]
    assert first.startswith(f"fastload: container {'v' * 63} will get RUNAI_STREAMER_CONCURRENCY=17, ")
    assert second.startswith(f"fastload: container {'v' * 63} will also get ")
    assert second.endswith(f"a compile cache (claim {'c' * 60})")
    assert "…" not in first + second


def leader_worker_set(leader: Json, worker: Json) -> Json:
    of = workload("LeaderWorkerSet", worker)
    of["spec"]["leaderWorkerTemplate"]["leaderTemplate"] = leader
    return of


def test_templates_are_told_apart_and_what_is_the_same_is_said_once() -> None:
    asks, web = template(inject="true"), without_engine(inject="true")
    both = warnings_of(leader_worker_set(asks, asks), "LeaderWorkerSet")
    assert [each.split(": ", 2)[1] for each in both] == ["leaderTemplate and workerTemplate"] * len(both)
    answered = answer_to(leader_worker_set(asks, web), "LeaderWorkerSet")
    assert [each.split(": ", 2)[1] for each in answered["warnings"]] == ["leaderTemplate", "workerTemplate"]
    assert answered["auditAnnotations"]["status"] == "partial"
    one = answer_to(leader_worker_set(asks, template(inject="false")), "LeaderWorkerSet")
    assert one["auditAnnotations"]["status"] == "injected"


def test_a_template_copied_from_a_tuned_pod_is_passed_in_silence() -> None:
    asked = pod(inject="true")
    patched = apply(asked, patch_of(response(endpoint(), review(asked))))
    answered = answer_to(workload("Deployment", {"metadata": patched["metadata"], "spec": patched["spec"]}))
    assert answered["auditAnnotations"]["status"] == "unchanged"
    assert "warnings" not in answered


def test_a_review_is_logged_once_with_the_workload_and_none_of_its_environment() -> None:
    of = template(inject="true")
    of["spec"]["containers"][0]["env"] = [{"name": "TOKEN", "value": "s3cret"}]
    with structlog.testing.capture_logs() as logs:
        answered = answer_to(workload("Deployment", of))
        answer_to(workload("Deployment", template()))
    (entry,) = logs
    assert (entry["namespace"], entry["workload"], entry["outcome"]) == ("serving", "Deployment/qwen", "injected")
    assert "s3cret" not in str(entry) + str(answered)


def test_a_warning_is_one_printable_line() -> None:
    said = warnings_of(workload("Deployment", template(inject="true", model='x\u0000\n"\\')))
    assert said
    assert all(warning.isprintable() for warning in said)


@pytest.mark.parametrize(
    ("name", "value", "args"),
    [
        pytest.param("MODEL", "org/secret-model", ["vllm", "serve", "$(MODEL)", "--enforce-eager"], id="the model"),
        pytest.param("TEAM", "secret-team", ["vllm", "serve", "$(TEAM)/model", "--enforce-eager"], id="a part of it"),
        pytest.param("MODEL", "secret-" * 100, ["vllm", "serve", "$(MODEL)", "--enforce-eager"], id="a long one"),
        pytest.param("PATH_", "/secret/config.yaml", ["vllm", "serve", "--config", "$(PATH_)"], id="a file"),
        pytest.param(
            "FORMAT", "secret-format", ["vllm", "serve", "s3://b/m", "--load-format", "$(FORMAT)"], id="a flag"
        ),
    ],
)
def test_a_value_of_the_environment_is_told_by_its_name(name: str, value: str, args: list[str]) -> None:
    of = template(inject="true", cache="off")
    of["spec"]["containers"][0] |= {"command": args, "args": [], "env": [{"name": name, "value": value}]}
    said = "\n".join(warnings_of(workload("Deployment", of)))
    assert f"${name}" in said
    assert value[:50] not in said


def test_the_address_of_the_users_store_is_told_by_its_name() -> None:
    of = template(inject="true")
    of["spec"]["containers"][0]["env"] = [{"name": "AWS_ENDPOINT_URL", "value": "http://Store.example/"}]
    refused = Unknown(because(Code.ENDPOINT_NOT_ALLOWED, endpoint="http://store.example"))
    (*_, left_out) = warnings_of(workload("Deployment", of), world=World1(refused))
    assert "the pod's S3 endpoint $AWS_ENDPOINT_URL is not on the operator's list" in left_out


@pytest.mark.parametrize(
    ("outcomes", "whole"),
    [
        ([], Outcome.IGNORED),
        ([Outcome.IGNORED, Outcome.INJECTED], Outcome.INJECTED),
        ([Outcome.INJECTED, Outcome.SKIPPED], Outcome.PARTIAL),
        ([Outcome.INJECTED, Outcome.FAILED_OPEN], Outcome.PARTIAL),
        ([Outcome.SKIPPED, Outcome.UNCHANGED], Outcome.SKIPPED),
        ([Outcome.SKIPPED, Outcome.FAILED_OPEN], Outcome.FAILED_OPEN),
        ([Outcome.UNCHANGED, Outcome.UNCHANGED], Outcome.UNCHANGED),
    ],
)
def test_templates_that_differ_make_one_outcome(outcomes: list[Outcome], whole: Outcome) -> None:
    assert combined(outcomes) is whole
