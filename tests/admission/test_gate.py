from typing import NoReturn

import pytest

from tests.reviews import Json, Ledger, World1, endpoint, patch_of, pod, response, review
from webhook.admission.decision import Outcome
from webhook.lookup.facts import Namespace, Unknown
from webhook.pipeline import Pipeline
from webhook.reasons import Code, because

OPTED_IN = Namespace(name="serving", opted_in=True)
SILENT = Namespace(name="serving")
UNKNOWN = Unknown(because(Code.NAMESPACE_UNKNOWN, namespace="serving", problem="403"))


class Untouched(Pipeline):
    """Fails a test that lets a pod through the gate."""

    def __init__(self) -> None:
        pass

    def read(self, *_: object, **__: object) -> NoReturn:
        raise AssertionError("the gate was to stay shut")


@pytest.mark.parametrize(
    "request_fields",
    [
        pytest.param({"operation": "UPDATE"}, id="update"),
        pytest.param({"operation": "DELETE", "object": None}, id="delete"),
        pytest.param({"operation": "CONNECT"}, id="connect"),
        pytest.param({"operation": None}, id="no operation"),
        pytest.param({"subResource": "ephemeralcontainers"}, id="a subresource"),
        pytest.param(
            {"subResource": "eviction", "kind": {"group": "policy", "version": "v1", "kind": "Eviction"}}, id="eviction"
        ),
        pytest.param({"kind": {"group": "apps", "version": "v1", "kind": "Deployment"}}, id="another kind"),
        pytest.param({"resource": {"group": "", "version": "v1", "resource": "podtemplates"}}, id="another resource"),
        pytest.param({"resource": {"group": "", "version": "v2", "resource": "pods"}}, id="another version"),
    ],
)
def test_anything_but_the_creation_of_a_pod_passes_unread(request_fields: Json) -> None:
    ledger = Ledger()
    app = endpoint(tuner=Untouched(), ledger=ledger)
    answered = response(app, review(**{"of": pod(inject="true"), **request_fields}))
    assert "patch" not in answered
    assert ledger.entries == [(Outcome.IGNORED, (Code.NOT_A_POD_CREATION,))]


@pytest.mark.parametrize(
    ("annotations", "namespace", "reasons"),
    [
        pytest.param({}, SILENT, [Code.NOT_OPTED_IN], id="nobody asks"),
        pytest.param({}, UNKNOWN, [Code.NOT_OPTED_IN, Code.NAMESPACE_UNKNOWN], id="nobody is known to ask"),
        pytest.param({"inject": "false"}, SILENT, [Code.OPTED_OUT], id="opted out"),
        pytest.param({"inject": "false"}, OPTED_IN, [Code.OPTED_OUT], id="the pod beats its namespace"),
        pytest.param({"inject": "True"}, SILENT, [Code.BAD_ANNOTATION], id="neither true nor false"),
        pytest.param({"inject": " true "}, OPTED_IN, [Code.BAD_ANNOTATION], id="not to the letter"),
        pytest.param({"inject": ""}, OPTED_IN, [Code.BAD_ANNOTATION], id="empty"),
    ],
)
@pytest.mark.parametrize("memory", ["known", "fetched"])
def test_a_pod_that_did_not_ask_passes_before_any_engine_is_looked_for(
    annotations: dict[str, str], namespace: Namespace | Unknown, reasons: list[Code], memory: str
) -> None:
    ledger = Ledger()
    world = World1(namespace=namespace, in_memory=memory == "known")
    answered = response(endpoint(world, tuner=Untouched(), ledger=ledger), review(pod(**annotations)))
    assert "patch" not in answered
    assert ledger.entries == [(Outcome.IGNORED, tuple(reasons))]
    assert ("warnings" in answered) == (Code.BAD_ANNOTATION in reasons)


def test_a_bad_inject_annotation_is_named_in_the_warning() -> None:
    (warning,) = response(endpoint(), review(pod(inject="yes\nplease" * 100)))["warnings"]
    assert warning.startswith("fastload: annotation fastload.dev/inject is not valid")
    assert "neither 'true' nor 'false'" in warning


@pytest.mark.parametrize(
    ("annotations", "namespace"),
    [
        pytest.param({"inject": "true"}, SILENT, id="the pod asks"),
        pytest.param({"inject": "true"}, UNKNOWN, id="the pod asks in a namespace nothing is known of"),
        pytest.param({}, OPTED_IN, id="the namespace asks"),
    ],
)
@pytest.mark.parametrize("memory", ["known", "fetched"])
def test_a_pod_that_asked_is_tuned(annotations: dict[str, str], namespace: Namespace | Unknown, memory: str) -> None:
    world = World1(namespace=namespace, in_memory=memory == "known")
    assert patch_of(response(endpoint(world), review(pod(**annotations))))


@pytest.mark.parametrize("metadata", [None, {}, {"annotations": None}, {"annotations": {"fastload.dev/inject": None}}])
def test_a_pod_without_annotations_leaves_it_to_its_namespace(metadata: Json | None) -> None:
    silent = {**pod(), "metadata": metadata}
    assert not patch_of(response(endpoint(World1(namespace=SILENT)), review(silent)))
    assert patch_of(response(endpoint(World1(namespace=OPTED_IN)), review(silent)))


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        pytest.param({"containers": [{"name": "web", "image": "nginx"}]}, Code.NO_ENGINE, id="a web server"),
        pytest.param(
            {"containers": [{"name": "job", "command": ["sh", "-c", "eval $JOB"]}]},
            Code.UNDECIDABLE_SCRIPT,
            id="a script that may do anything",
        ),
        pytest.param({"os": {"name": "windows"}, "containers": [{"name": "iis"}]}, Code.WINDOWS, id="a Windows pod"),
    ],
)
def test_other_pods_of_a_namespace_that_opted_in_stay_unmarked(spec: Json, reason: Code) -> None:
    ledger = Ledger()
    answered = response(endpoint(World1(namespace=OPTED_IN), ledger=ledger), review({"metadata": {}, "spec": spec}))
    assert not patch_of(answered)
    assert "warnings" not in answered
    assert ledger.entries == [(Outcome.IGNORED, (reason,))]


def test_a_pod_of_two_engines_in_a_namespace_that_opted_in_is_told_so() -> None:
    two = pod()
    two["spec"]["containers"].append({"name": "other", "command": ["vllm", "serve", "s3://models/other"]})
    answered = response(endpoint(World1(namespace=OPTED_IN)), review(two))
    assert "several-engines" in answered["auditAnnotations"]["reasons"]
    assert patch_of(answered)
    assert answered["warnings"]


def test_a_pod_that_asked_and_has_no_engine_is_told_so() -> None:
    web = pod(inject="true")
    web["spec"]["containers"] = [{"name": "web", "image": "nginx"}]
    answered = response(endpoint(), review(web))
    stamped = {each.path.rpartition("~1")[2]: each.value for each in patch_of(answered)}
    assert stamped["status"] == "skipped"
    assert "no-engine" in stamped["reasons"].split(",")
    assert any("no container starts" in warning for warning in answered["warnings"])
