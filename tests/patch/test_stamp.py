import pytest

from tests.patched import Json, apply, facts_of
from webhook.patch.stamp import stamp
from webhook.plan.types import Plan, Status, Verdict
from webhook.reasons import Code, because

REASONS = (because(Code.NO_ENGINE), because(Code.NOT_OPTED_IN), because(Code.NO_ENGINE))
STAMPED = {
    "fastload.dev/status": "skipped",
    "fastload.dev/reasons": "no-engine,not-opted-in",
    "fastload.dev/plan": '{"v":1}',
}
LIMIT = 256 * 1024


def plan(summary: str = '{"v":1}') -> Plan:
    skip = Verdict.SKIP
    return Plan(status=Status.SKIPPED, streamer=skip, retry=skip, cache=skip, reasons=REASONS, summary=summary)


def pod(**fields: object) -> Json:
    return {"spec": {"containers": [{"name": "web", "image": "nginx"}]}, **fields}


def stamped(before: Json, summary: str = '{"v":1}') -> dict[str, str | None]:
    annotations: dict[str, str | None] = apply(before, stamp(facts_of(before), plan(summary)))["metadata"][
        "annotations"
    ]
    return annotations


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(pod(), id="metadata absent"),
        pytest.param(pod(metadata=None), id="metadata null"),
        pytest.param(pod(metadata={}), id="metadata empty"),
        pytest.param(pod(metadata={"annotations": None}), id="annotations null"),
        pytest.param(pod(metadata={"annotations": {}}), id="annotations empty"),
    ],
)
def test_annotations_are_written_whatever_is_there(before: Json) -> None:
    assert stamped(before) == STAMPED


def test_the_users_annotations_stay_under_odd_keys() -> None:
    theirs = {"a/b~c": "x", "cold.example/t~1": "y", "~0": "z"}
    assert stamped(pod(metadata={"annotations": theirs})) == {**theirs, **STAMPED}


@pytest.mark.parametrize(
    ("old", "op"), [pytest.param("injected", "replace", id="a value"), pytest.param(None, "add", id="a null")]
)
def test_an_older_annotation_of_ours_gives_way(old: str | None, op: str) -> None:
    before = pod(metadata={"annotations": {"fastload.dev/status": old}})
    operations = {each.path: each.op for each in stamp(facts_of(before), plan())}
    assert operations["/metadata/annotations/fastload.dev~1status"] == op
    assert stamped(before) == STAMPED


def test_an_annotation_of_ours_that_says_the_same_is_not_written_again() -> None:
    before = pod(metadata={"annotations": dict(STAMPED)})
    assert stamp(facts_of(before), plan()) == []


@pytest.mark.parametrize(
    ("taken", "written"),
    [
        pytest.param(LIMIT, [], id="full"),
        pytest.param(LIMIT - 30, ["status"], id="room for the status"),
        pytest.param(LIMIT - 120, ["status", "reasons", "plan"], id="room for all"),
    ],
)
def test_a_pod_full_of_annotations_is_not_pushed_over_the_limit(taken: int, written: list[str]) -> None:
    full = {"k": "é" * ((taken - 1) // 2)}
    operations = stamp(facts_of(pod(metadata={"annotations": full})), plan())
    assert [each.path.rpartition("~1")[2] for each in operations] == written


def test_a_summary_out_of_all_proportion_is_left_out() -> None:
    assert stamped(pod(), summary="x" * 100_000).keys() == {"fastload.dev/status", "fastload.dev/reasons"}
