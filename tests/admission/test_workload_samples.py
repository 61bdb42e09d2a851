"""What must hold of any workload: it passes unchanged, and what is said of it is what its pods then get."""

from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.patched import apply
from tests.reviews import Json, World1, endpoint, patch_of, post, response, review
from tests.workloads import INJECT, KINDS, answer_to, review_of, template, workload, workloads
from webhook.lookup.facts import Namespace, Unknown
from webhook.pod.template import find_templates

CASES = sorted((Path(__file__).parent.parent / "cases").rglob("*.yaml"))
ASKS = workload("Deployment", template(inject="true"))

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PLACES = ["spec", "template", "jobTemplate", "leaderWorkerTemplate", "leaderTemplate", "workerTemplate"]
FIELDS = ["metadata", "annotations", INJECT, "containers", "name", "image", "command", "args", "size", "tasks", "items"]
KEYS = st.sampled_from([*PLACES, *FIELDS])
OBJECTS = st.recursive(
    JSON | st.just("true") | st.just(["vllm", "serve", "s3://b/m"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=30,
)


@given(OBJECTS, st.sampled_from(sorted(KINDS)))
def test_any_object_is_allowed_unchanged(of: object, kind: str) -> None:
    assert "patch" not in response(workloads(), review_of(of, kind))


@given(st.dictionaries(st.sampled_from(["kind", "resource", "namespace", "operation", "name", "subResource"]), JSON))
def test_a_review_of_anything_is_refused_or_allowed(fields: Json) -> None:
    answered = post(workloads(), review_of(ASKS, **fields))
    assert answered.status_code in {200, 400}
    if answered.status_code == 200:
        assert answered.json()["response"]["allowed"] is True


class AnyNamespace(World1):
    def _named(self, name: str) -> Namespace | Unknown:
        del name
        return self.namespace


@pytest.mark.parametrize("kind", ["its own", *KINDS])
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_every_sample_is_allowed_and_told_what_its_pods_get_within_the_limits(path: Path, kind: str) -> None:
    for document in yaml.safe_load_all(path.read_text()):
        for found in find_templates(document) if kind != "its own" or document["kind"] in KINDS else []:
            asks = deepcopy(found.template)
            metadata = asks.get("metadata") or {}
            asks["metadata"] = {
                "labels": metadata.get("labels"),
                "annotations": {**(metadata.get("annotations") or {}), INJECT: "true"},
            }
            as_kind = document["kind"] if kind == "its own" else kind
            answered = answer_to(workload(as_kind, asks), as_kind, AnyNamespace())
            said = answered.get("warnings", [])
            assert said
            assert all(len(warning) <= 256 for warning in said)
            assert sum(map(len, said)) <= 4096
            assert "…" not in "".join(said)
            assert_agrees(asks, found.ambient, answered)


def assert_agrees(of: Json, ambient: Mapping[str, str], told: Json) -> None:
    """What was told is what a pod of the template then gets."""
    if ambient:  # its controller adds to the environment
        return
    asked = {"metadata": {"generateName": "qwen-", **of["metadata"]}, "spec": of["spec"]}
    answered = response(endpoint(AnyNamespace()), review(asked))
    assert told["auditAnnotations"]["status"] == answered["auditAnnotations"]["status"]
    patched = apply(asked, patch_of(answered))
    added = Counter(_values(patched)) - Counter(_values(asked))
    said = " ".join(told.get("warnings", []))
    for name, value in added:
        if name.startswith("RUNAI_"):
            assert f"{name}={value}" in said


def _values(of: Json) -> list[tuple[str, str]]:
    return [
        (entry["name"], entry["value"])
        for container in of["spec"]["containers"]
        for entry in container.get("env") or ()
        if entry.get("value") is not None
    ]
