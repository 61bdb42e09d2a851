import pytest

from tests.patched import Json, apply, facts_of
from webhook.patch.builder import build_patch
from webhook.plan.types import Plan, Setting, Status, Verdict
from webhook.reasons import Code, because

SETTING = Setting("RUNAI_STREAMER_CONCURRENCY", "17", because(Code.NO_ENGINE))
OURS = {"name": SETTING.name, "value": SETTING.value}
PLAN = Plan(status=Status.INJECTED, streamer=Verdict.TUNE, retry=Verdict.SKIP, cache=Verdict.SKIP, settings=(SETTING,))


def env_of(**container: object) -> list[Json]:
    engine = {"name": "m", "command": ["vllm", "serve", "s3://models/llm"], **container}
    pod = {"spec": {"containers": [{"name": "sidecar"}, engine]}}
    after = apply(pod, build_patch(facts_of(pod), PLAN))
    assert after["spec"]["containers"][0] == {"name": "sidecar"}
    env: list[Json] = after["spec"]["containers"][1]["env"]
    return env


def reference(kind: str, name: str, key: str) -> Json:
    return {"name": SETTING.name, "valueFrom": {kind: {"name": name, "key": key, "optional": True}}}


@pytest.mark.parametrize("env", [{}, {"env": None}, {"env": []}], ids=["absent", "null", "empty"])
def test_an_env_list_that_holds_nothing_is_filled(env: Json) -> None:
    assert env_of(**env) == [OURS]


def test_the_users_entries_keep_their_order_and_text_and_ours_come_after() -> None:
    theirs = [
        {"name": "ROOT", "value": "/x"},
        {"name": "SUB", "value": "$(ROOT)/y"},
        {"name": "ESC", "value": "$$(ROOT)"},
        {"name": "ROOT", "value": "/again"},
    ]
    assert env_of(env=theirs) == [*theirs, OURS]


@pytest.mark.parametrize(
    ("source", "guards"),
    [
        pytest.param(
            {"configMapRef": {"name": "c"}}, [reference("configMapKeyRef", "c", SETTING.name)], id="a ConfigMap"
        ),
        pytest.param(
            {"secretRef": {"name": "s"}, "prefix": None}, [reference("secretKeyRef", "s", SETTING.name)], id="a Secret"
        ),
        pytest.param(
            {"configMapRef": {"name": "c"}, "prefix": "RUNAI_"},
            [reference("configMapKeyRef", "c", "STREAMER_CONCURRENCY")],
            id="the key is the name without the prefix",
        ),
        pytest.param({"configMapRef": {"name": "c"}, "prefix": "X_"}, [], id="a prefix no key of ours can have"),
        pytest.param({"configMapRef": {"name": "c"}, "prefix": SETTING.name}, [], id="a key cannot be empty"),
        pytest.param({"configMapRef": {"name": None}}, [], id="a source without a name"),
    ],
)
def test_a_source_of_hidden_names_keeps_the_last_word(source: Json, guards: list[Json]) -> None:
    assert env_of(envFrom=[source]) == [OURS, *guards]


def test_of_several_sources_the_last_wins_as_it_does_in_env_from() -> None:
    sources = [{"configMapRef": {"name": "first"}}, {"secretRef": {"name": "second"}}]
    assert env_of(envFrom=sources) == [
        OURS,
        reference("configMapKeyRef", "first", SETTING.name),
        reference("secretKeyRef", "second", SETTING.name),
    ]
