import msgspec
import pytest

from benchmarks.lab.streamer.case import Case, Scale
from benchmarks.lab.streamer.cases import cases
from benchmarks.lab.streamer.predicted import predicted_in_flight
from benchmarks.lab.streamer.sides import TUNED, UNTOUCHED, Sides
from tests.lab.made import CASE

CONCURRENCY = "RUNAI_STREAMER_CONCURRENCY"
LIMIT = "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT"
WINDOW = "RUNAI_STREAMER_S3_TIMEOUT"


def side(case: Case, name: str, version: str = "0.17.1") -> dict[str, str]:
    return next(each.settings for each in Sides([case], [version]).of(case, version) if each.name == name)


def test_tuned_is_what_a_preview_says_and_untouched_is_what_the_user_set() -> None:
    pod = msgspec.structs.replace(CASE.pod, env=(("RUNAI_STREAMER_S3_TARGET_GBPS", "1"),))
    case = msgspec.structs.replace(CASE, pod=pod)

    assert side(case, UNTOUCHED) == {"RUNAI_STREAMER_S3_TARGET_GBPS": "1"}
    assert side(case, TUNED) == {
        CONCURRENCY: "17",
        "RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS": "3000",
        LIMIT: "1048576",
        WINDOW: "60",
        "RUNAI_STREAMER_S3_TARGET_GBPS": "1",
    }


def test_what_a_version_does_not_read_makes_no_other_trial() -> None:
    assert WINDOW not in side(CASE, TUNED, "0.16.1")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("RUNAI_STREAMER_CHUNK_BYTESIZE", "4294967296", "134217728"),
        ("RUNAI_STREAMER_MEMORY_LIMIT", "40000000000", "1250000000"),
        (LIMIT, "1048576", "20972"),
        (CONCURRENCY, "17", "17"),
        ("RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS", "3000", "3000"),
    ],
)
def test_bytes_are_scaled_like_the_model_and_speeds_like_the_network(name: str, before: str, after: str) -> None:
    assert Scale(size=32, rate=50).applied({name: before}) == {name: after}


@pytest.mark.parametrize(
    ("version", "settings", "predicted"),
    [
        ("0.17.1", {}, 176),
        ("0.17.1", {CONCURRENCY: "10"}, 220),
        ("0.17.1", {CONCURRENCY: "17"}, 272),  # the whole model
        ("0.15.9", {}, 200),
        ("0.17.1", {"RUNAI_STREAMER_S3_TARGET_GBPS": "1"}, 16),
    ],
)
def test_the_prediction_is_the_plans_formula(version: str, settings: dict[str, str], predicted: int) -> None:
    assert predicted_in_flight(CASE, version, settings) == predicted


def test_cases_have_names_of_their_own_and_some_are_quick() -> None:
    names = [case.name for case in cases()]

    assert len(names) == len(set(names))
    assert any(case.quick for case in cases())
