import asyncio
import json
from collections.abc import Mapping
from typing import NoReturn

import msgspec
import pytest
import structlog

from tests.patched import additions, apply
from tests.reviews import Json, Ledger, World1, endpoint, patch_of, pipeline, pod, response, review
from webhook.admission.decision import Outcome
from webhook.lookup.facts import World
from webhook.patch.operation import Operation
from webhook.pipeline import Pipeline, Tuned
from webhook.pod.facts import PodFacts
from webhook.pod.view import Pod
from webhook.reasons import Code

ASKED = pod(inject="true")


def test_an_annotated_pod_is_patched_and_told_what_was_done() -> None:
    answered = response(endpoint(), review(ASKED))
    patched = apply(ASKED, patch_of(answered))
    env = {entry["name"]: entry["value"] for entry in patched["spec"]["containers"][0]["env"]}
    assert env["RUNAI_STREAMER_CONCURRENCY"] == "17"
    annotations = patched["metadata"]["annotations"]
    audit = answered["auditAnnotations"]
    assert audit["status"] == annotations["fastload.dev/status"]
    assert audit["reasons"] == annotations["fastload.dev/reasons"]
    assert json.loads(annotations["fastload.dev/plan"])


def test_a_dry_run_is_answered_like_any_other_review() -> None:
    assert response(endpoint(), review(ASKED, dryRun=True)) == response(endpoint(), review(ASKED))


def test_a_second_pass_gives_no_patch() -> None:
    ledger = Ledger()
    app = endpoint(ledger=ledger)
    patched = apply(ASKED, patch_of(response(app, review(ASKED))))
    assert "patch" not in response(app, review(patched))
    assert [outcome for outcome, _ in ledger.entries] == [Outcome.INJECTED, Outcome.UNCHANGED]


def test_fields_that_nobody_reads_stay() -> None:
    odd = pod(inject="true")
    odd["spec"]["futureField"] = {"x": [None, 1.5, "é"]}
    odd["spec"]["containers"][0]["futureField"] = True
    list(additions(odd, apply(odd, patch_of(response(endpoint(), review(odd))))))


def test_of_a_field_given_twice_the_last_counts() -> None:
    body = json.dumps(review(ASKED)).replace('"uid": ', '"uid": "first", "uid": ', 1)
    assert response(endpoint(), body.encode())["uid"] == review(ASKED)["request"]["uid"]


@pytest.mark.parametrize("uid", ["é", "\U0001f680", '"\\', "x" * 1000, "\x00"])
def test_a_uid_comes_back_as_it_was(uid: str) -> None:
    assert response(endpoint(), review(ASKED, uid=uid))["uid"] == uid


class Raising(Pipeline):
    def __init__(self, error: Exception) -> None:
        self._error = error

    def read(self, *_: object, **__: object) -> NoReturn:
        raise self._error


@pytest.mark.parametrize(
    "error",
    [ValueError("s3cret"), RecursionError(), MemoryError(), TimeoutError(), KeyError("s3cret"), AssertionError()],
    ids=lambda error: type(error).__name__,
)
def test_a_fault_of_ours_lets_the_pod_pass_and_is_logged_without_its_words(error: Exception) -> None:
    ledger = Ledger()
    with structlog.testing.capture_logs() as logs:
        answered = response(endpoint(tuner=Raising(error), ledger=ledger), review(ASKED))
    assert "patch" not in answered
    assert ledger.entries == [(Outcome.FAILED_OPEN, (Code.INTERNAL_ERROR,))]
    assert answered["warnings"] == [
        "fastload: fastload failed on this pod and left it as it was; its log has the details"
    ]
    (entry,) = logs
    assert (entry["log_level"], entry["error"]) == ("error", type(error).__name__)
    assert "test_reviewer.py" in entry["at"]
    assert "s3cret" not in str(entry)


class Slow(World1):
    """Never answers."""

    def known(self, *_: object, **__: object) -> None:
        return None

    async def find(self, *_: object, **__: object) -> NoReturn:
        await asyncio.Event().wait()
        raise AssertionError


def test_a_look_up_without_end_lets_the_pod_pass_at_the_deadline() -> None:
    ledger = Ledger()
    answered = response(endpoint(Slow(), deadline_seconds=0.02, ledger=ledger), review(ASKED))
    assert "patch" not in answered
    assert ledger.entries == [(Outcome.FAILED_OPEN, (Code.DEADLINE,))]


class Silent(World1):
    """Does not know its namespaces, and never will."""

    def known_namespace(self, *_: object, **__: object) -> None:
        return None

    async def find_namespace(self, *_: object, **__: object) -> NoReturn:
        await asyncio.Event().wait()
        raise AssertionError


def test_a_namespace_that_does_not_answer_costs_an_unannotated_pod_only_the_deadline() -> None:
    ledger = Ledger()
    assert "patch" not in response(endpoint(Silent(), deadline_seconds=0.02, ledger=ledger), review(pod()))
    assert ledger.entries == [(Outcome.FAILED_OPEN, (Code.DEADLINE,))]


class Failing(World1):
    def known(self, *_: object, **__: object) -> None:
        return None

    async def find(self, *_: object, **__: object) -> NoReturn:
        raise TimeoutError


def test_a_time_out_that_is_not_the_deadline_is_a_fault() -> None:
    ledger = Ledger()
    response(endpoint(Failing(), ledger=ledger), review(ASKED))
    assert ledger.entries == [(Outcome.FAILED_OPEN, (Code.INTERNAL_ERROR,))]


class Inconsistent(Pipeline):
    """Builds a patch for another pod."""

    def __init__(self, operation: Operation) -> None:
        self._real = pipeline(World1())
        self._operation = operation

    def read(self, pod: Pod, *, namespace: str, ambient: Mapping[str, str] | None = None) -> PodFacts:
        return self._real.read(pod, namespace=namespace, ambient=ambient)

    def known(self, facts: PodFacts) -> World | None:
        return self._real.known(facts)

    def tune(self, facts: PodFacts, world: World) -> Tuned:
        return msgspec.structs.replace(self._real.tune(facts, world), patch=(self._operation,))


@pytest.mark.parametrize(
    "operation",
    [
        Operation("add", "/spec/containers/9/env/-", {}),
        Operation("add", "/spec/containers/-", {"name": "vllm"}),
        Operation("add", "/spec/volumes", object()),
    ],
    ids=["does not apply", "makes the pod invalid", "does not encode"],
)
def test_a_patch_that_would_break_the_pod_never_leaves(operation: Operation) -> None:
    ledger = Ledger()
    with structlog.testing.capture_logs() as logs:
        answered = response(endpoint(tuner=Inconsistent(operation), ledger=ledger), review(ASKED))
    assert "patch" not in answered
    assert ledger.entries == [(Outcome.FAILED_OPEN, (Code.INTERNAL_ERROR,))]
    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["review failed open"]


@pytest.mark.parametrize("padded", ["spec", "metadata"])
def test_a_pod_that_a_patch_would_make_too_large_stays_as_it_is(padded: str) -> None:
    def sized(spare_bytes: int) -> Json:
        """A pod whose review is smaller by so much than the largest that still gets a patch."""
        of = pod(inject="true")
        of[padded]["futureField"] = ""
        room = 1024**2 - len(json.dumps(review(of))) - spare_bytes
        of[padded]["futureField"] = "x" * room
        return of

    patch_bytes = len(msgspec.json.encode(patch_of(response(endpoint(), review(sized(500_000))))))
    ledger = Ledger()
    app = endpoint(ledger=ledger)
    assert "patch" in response(app, review(sized(patch_bytes)))
    answered = response(app, review(sized(patch_bytes - 1)))
    assert "patch" not in answered
    assert "too large" in answered["warnings"][0]
    assert ledger.entries[1:] == [(Outcome.FAILED_OPEN, (Code.POD_TOO_LARGE,))]


def test_a_large_pod_without_a_patch_is_answered_like_any_other() -> None:
    ledger = Ledger()
    large = apply(ASKED, patch_of(response(endpoint(), review(ASKED))))
    large["spec"]["futureField"] = "x" * 1024**2
    assert "patch" not in response(endpoint(ledger=ledger), review(large))
    assert [outcome for outcome, _ in ledger.entries] == [Outcome.UNCHANGED]


def test_a_pod_with_a_long_patch_is_patched_as_long_as_it_fits() -> None:
    asked = pod(inject="true")
    references = [{"configMapRef": {"name": f"map-{number}"}} for number in range(300)]
    asked["spec"]["containers"][0]["envFrom"] = references
    assert "patch" in response(endpoint(), review(asked))
    asked["spec"]["futureField"] = "x" * 800_000
    assert "patch" not in response(endpoint(), review(asked))


@pytest.mark.parametrize(
    "of",
    [
        pytest.param(None, id="null"),
        pytest.param([], id="a list"),
        pytest.param("pod", id="a string"),
        pytest.param({"metadata": []}, id="metadata that are a list"),
        pytest.param({"metadata": {"annotations": {"fastload.dev/inject": True}}}, id="a boolean annotation"),
        pytest.param({"spec": {"containers": {}}}, id="containers that are no list"),
        pytest.param({"spec": {"containers": [{"image": "no name"}]}}, id="a container without a name"),
    ],
)
def test_an_object_that_is_no_pod_passes(of: object) -> None:
    ledger = Ledger()
    assert "patch" not in response(endpoint(ledger=ledger), review(of))
    assert ledger.entries == [(Outcome.FAILED_OPEN, (Code.UNREADABLE_POD,))]


def test_a_decision_is_logged_once_with_what_it_takes_to_find_the_pod_and_none_of_its_environment() -> None:
    asked = pod(inject="true")
    asked["spec"]["containers"][0]["env"] = [{"name": "TOKEN", "value": "s3cret"}]
    with structlog.testing.capture_logs() as logs:
        response(endpoint(), review(asked))
    (entry,) = logs
    assert (entry["namespace"], entry["pod"], entry["outcome"]) == ("serving", "qwen-", "injected")
    assert "s3cret" not in str(entry)


def test_a_pod_that_asks_in_words_not_understood_is_logged_and_one_that_does_not_ask_is_not() -> None:
    with structlog.testing.capture_logs() as logs:
        response(endpoint(), review(pod(inject="yes")))
        response(endpoint(), review(pod(inject="false")))
    assert [(entry["pod"], entry["outcome"], entry["reasons"]) for entry in logs] == [
        ("qwen-", "ignored", "bad-annotation")
    ]


@pytest.mark.parametrize(
    ("of", "world", "name", "reason"),
    [
        pytest.param(
            {**ASKED, "spec": {"futureField": "x" * 1024**2, **ASKED["spec"]}},
            World1(),
            "qwen-",
            Code.POD_TOO_LARGE,
            id="too large",
        ),
        pytest.param(ASKED, Slow(), "qwen-", Code.DEADLINE, id="too late"),
        pytest.param(pod(), Silent(), "qwen-", Code.DEADLINE, id="too late for the namespace"),
        pytest.param({"spec": {"containers": 1}}, World1(), "of-the-request", Code.UNREADABLE_POD, id="unreadable"),
    ],
)
def test_a_pod_that_passes_untuned_is_logged_with_the_reason(of: Json, world: World1, name: str, reason: Code) -> None:
    with structlog.testing.capture_logs() as logs:
        response(endpoint(world, deadline_seconds=0.02), review(of, name="of-the-request"))
    assert [(each["event"], each["namespace"], each["pod"], each["outcome"], each["reasons"]) for each in logs] == [
        ("reviewed", "serving", name, "failed-open", reason)
    ]
