import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.patched import Json, additions, apply, assert_valid, facts_of
from tests.pods import pods
from webhook.patch.builder import build_patch
from webhook.plan.types import CacheVolume, ClaimVolume, HostPathVolume, InitStep, Plan, Setting, Status, Verdict
from webhook.pod.facts import PodFacts
from webhook.reasons import Code, because

REASON = because(Code.OFFLINE, subject="everything")
NAMES = ["RUNAI_STREAMER_CONCURRENCY", "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT", "VLLM_CACHE_ROOT", "TRITON_CACHE_DIR"]
MOUNT_PATH = "/var/cache/fastload"
# Everything a patch may add; the engine's container is checked apart.
ALLOWED = re.compile(
    r"/metadata|/metadata/annotations|/metadata/annotations/fastload\.dev~1(status|reasons|plan)"
    r"|/spec/(volumes|initContainers)(/\d+)?|/spec/containers/(?P<index>\d+)/(env|volumeMounts)(/\d+)?"
)


def plan(settings: list[str], volume: CacheVolume | None = None) -> Plan:
    return Plan(
        status=Status.INJECTED if settings or volume else Status.SKIPPED,
        streamer=Verdict.TUNE,
        retry=Verdict.SKIP,
        cache=Verdict.TUNE if volume else Verdict.SKIP,
        settings=tuple(Setting(name, "17", REASON) for name in settings),
        volume=volume,
        reasons=(REASON,),
        summary='{"rules":1}',
    )


def for_pod(facts: PodFacts, names: list[str], volume: CacheVolume | None) -> Plan:
    """A plan that keeps its promise: no name and no mount path of the user's."""
    if facts.container is None:
        return plan([])
    mounted = any(mount.path == MOUNT_PATH for mount in facts.container.mounts)
    return plan([name for name in names if name not in facts.container.env], None if mounted else volume)


def volumes() -> st.SearchStrategy[CacheVolume | None]:
    sources = st.sampled_from([HostPathVolume("/mnt/x/serving/k"), ClaimVolume("c", "k"), ClaimVolume("c", "")])
    inits = st.none() | st.just(InitStep("engine:1", ("true",)))
    assets = st.none() | st.just("/var/cache/assets")
    return st.none() | st.builds(CacheVolume, sources, st.just(MOUNT_PATH), inits, assets)


def test_the_order_is_fixed() -> None:
    engine = {"name": "m", "command": ["vllm", "serve", "s3://models/llm"]}
    pod = {"metadata": {"annotations": {"fastload.dev/inject": "true"}}, "spec": {"containers": [engine]}}
    cache = CacheVolume(HostPathVolume("/x"), MOUNT_PATH, InitStep("engine:1", ("true",)))
    assert [each.path for each in build_patch(facts_of(pod), plan(NAMES[:1], cache))] == [
        "/metadata/annotations/fastload.dev~1status",
        "/metadata/annotations/fastload.dev~1reasons",
        "/metadata/annotations/fastload.dev~1plan",
        "/spec/volumes",
        "/spec/initContainers",
        "/spec/containers/0/env",
        "/spec/containers/0/volumeMounts",
    ]


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param({}, id="nothing at all"),
        pytest.param({"metadata": None, "spec": None}, id="nulls"),
        pytest.param({"spec": {}}, id="no containers"),
        pytest.param({"spec": {"containers": []}}, id="no container"),
        pytest.param({"spec": {"containers": [{"name": "web"}]}}, id="no engine"),
    ],
)
def test_a_pod_that_cannot_be_tuned_is_told_why_and_once(pod: Json) -> None:
    operations = build_patch(facts_of(pod), plan([]))
    after = apply(pod, operations)
    assert after["metadata"]["annotations"]["fastload.dev/status"] == "skipped"
    assert build_patch(facts_of(after), plan([])) == ()


def test_what_a_first_pass_could_not_know_is_added_by_the_second() -> None:
    pod = {"spec": {"containers": [{"name": "m", "command": ["vllm", "serve", "s3://models/llm"]}]}}
    partial = msgspec.structs.replace(plan(NAMES[:1]), status=Status.PARTIAL)
    first = apply(pod, build_patch(facts_of(pod), partial))
    second = apply(first, build_patch(facts_of(first), plan(NAMES[1:2])))
    assert second["metadata"]["annotations"]["fastload.dev/status"] == "injected"
    assert [entry["name"] for entry in second["spec"]["containers"][0]["env"]] == NAMES[:2]


@given(pods(), st.lists(st.sampled_from(NAMES), unique=True), volumes())
def test_a_patch_only_adds_and_only_where_it_may(pod: Json, names: list[str], volume: CacheVolume | None) -> None:
    facts = facts_of(pod)
    after = apply(pod, build_patch(facts, for_pod(facts, names, volume)))
    mine = {f"fastload.dev/{each}" for each in ("status", "reasons", "plan")}
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    before = {**pod}
    if mine & annotations.keys():
        kept = {key: value for key, value in annotations.items() if key not in mine}
        before["metadata"] = {**pod["metadata"], "annotations": kept}
    for pointer in additions(before, after):
        allowed = ALLOWED.fullmatch(pointer)
        assert allowed, pointer
        index = allowed["index"]
        assert index is None or (facts.container and int(index) == facts.container.index)


@given(pods(), st.lists(st.sampled_from(NAMES), unique=True), volumes())
def test_a_patched_pod_is_valid(pod: Json, names: list[str], volume: CacheVolume | None) -> None:
    facts = facts_of(pod)
    assert_valid(apply(pod, build_patch(facts, for_pod(facts, names, volume))))


@given(pods(), st.lists(st.sampled_from(NAMES), unique=True), volumes())
def test_a_second_pass_adds_nothing(pod: Json, names: list[str], volume: CacheVolume | None) -> None:
    facts = facts_of(pod)
    after = apply(pod, build_patch(facts, for_pod(facts, names, volume)))
    again = facts_of(after)
    assert build_patch(again, for_pod(again, names, volume)) == ()
