"""The estimate: fitted to what was published, wide where little is known, silent where nothing is."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.plan.fit import PUBLISHED_FOR, QWEN, SCOUT, Row, estimate_of, pod_of, rows, seconds, start, table
from tests.plan.make import G5_12X, G5_XL, G6E_48X, P5, container, env, facts, launch, plan, shards, world
from webhook.lookup.facts import InstanceType, Unknown, World
from webhook.plan.estimate import estimate
from webhook.plan.estimate_types import Basis, Estimate, LayerName, Money, Note, Range, ScenarioName
from webhook.plan.inflight import GIB
from webhook.plan.settings import PlanSettings
from webhook.plan.versions import Version
from webhook.pod.facts import CacheChoice, CacheKind, Engine, Feature, LoaderConfig, PodFacts
from webhook.reasons import Code, because

TUNING = Path(__file__).parents[2] / "docs" / "tuning.md"
VERSIONS: list[Version | None] = [None, PUBLISHED_FOR, (0, 16, 1), (0, 17, 1)]
PUBLISHED_ROWS = [(version, row) for version in VERSIONS for row in rows(version)]


def made(pod: PodFacts, around: World, usd_per_hour: float | None = None) -> Estimate | None:
    return estimate(pod, around, plan(pod, around), PlanSettings(), usd_per_hour=usd_per_hour)


def some(pod: PodFacts = facts(), around: World = world(P5), usd_per_hour: float | None = None) -> Estimate:  # noqa: B008 (frozen)
    found = made(pod, around, usd_per_hour)
    assert found is not None
    return found


def weights(estimate: Estimate) -> list[Range | None]:
    return [layer.seconds for each in estimate.scenarios for layer in each.layers if layer.name is LayerName.WEIGHTS]


def compiles(estimate: Estimate) -> list[Range | None]:
    return [layer.seconds for each in estimate.scenarios for layer in each.layers if layer.name is LayerName.COMPILE]


def notes(estimate: Estimate) -> set[Note]:
    return {note.code for note in estimate.notes}


def pod(*, environment: dict[str, str | None] | None = None, gpus: int = 2, **changes: Any) -> PodFacts:  # noqa: ANN401 (fields of any type)
    return facts(launch=launch(**changes), container=container(gpus=gpus, env=env(environment)))


@pytest.mark.parametrize(
    ("version", "row"), PUBLISHED_ROWS, ids=[f"{row.load}, {version}" for version, row in PUBLISHED_ROWS]
)
def test_every_published_figure_comes_out_within_15_percent(version: object, row: Row) -> None:
    assert row.modelled.low <= row.middle <= row.modelled.high
    assert abs(row.error) <= 0.15, version


def test_the_published_figures_lie_within_the_ranges_for_the_streamer_they_are_of() -> None:
    outside = [row.load for row in rows(PUBLISHED_FOR) if not row.modelled.low <= row.published <= row.modelled.high]
    assert outside == []


def test_the_docs_show_the_fit() -> None:
    assert table() in TUNING.read_text(), "python -m tests.plan.fit prints the table"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_load_of_203_gib_is_near_the_published_one_too(version: tuple[int, int, int] | None) -> None:
    listed = msgspec.structs.replace(SCOUT, shards=shards(50, 203))
    today, first_pod, next_pods = (start(each) for each in estimate_of(listed, version).scenarios)
    for span, published in ((today, 457), (first_pod, 59), (next_pods, 32)):
        assert (span.low + span.high) / 2 == pytest.approx(published, rel=0.15)


def test_a_start_has_six_layers_in_three_scenarios() -> None:
    found = estimate_of(QWEN, PUBLISHED_FOR)
    assert [each.name for each in found.scenarios] == list(ScenarioName)
    assert [[layer.name for layer in each.layers] for each in found.scenarios] == [list(LayerName)] * 3
    bases = {layer.name: layer.basis for layer in found.scenarios[0].layers}
    assert bases.pop(LayerName.WEIGHTS) is Basis.ESTIMATED
    assert set(bases.values()) == {Basis.PUBLISHED}
    assert compiles(found) == [Range(53, 53), Range(53, 53), Range(4, 6)]
    assert [seconds(each, LayerName.INITIALISATION).high for each in found.scenarios] == [120, 120, 45]
    assert [seconds(each, LayerName.NODE).high for each in found.scenarios] == [90, 90, 0]


def test_distributed_reading_without_nvlink_pays_for_the_broadcast() -> None:
    # Published: 61 GiB over 4 ranks, 35 s of broadcast, which is 73 % of the load.
    loader = LoaderConfig(distributed=True)
    around = world(G5_12X, shards=shards(16, 61))
    _, tuned, _ = weights(some(pod(gpus=4, tensor_parallel_size=4, loader=loader), around))
    assert tuned is not None
    assert tuned.low > 35
    assert (tuned.low + tuned.high) / 2 == pytest.approx(35 / 0.73, rel=0.15)


def test_the_network_bounds_what_more_requests_can_do() -> None:
    # One rank alone on 2.5 Gbit/s: 16 GiB take 55 s at least, with whatever settings.
    around = world(G5_XL, shards=shards(17, 16))
    before, after, _ = weights(some(pod(gpus=1, tensor_parallel_size=1), around))
    assert before is not None
    assert before == after
    assert before.low == pytest.approx(16 * GIB / (2.5e9 / 8 * 0.97), rel=0.01)
    assert before.high == pytest.approx(16 * GIB / (2.5e9 / 8 * 0.83), rel=0.01)


@pytest.mark.parametrize(
    ("types", "version", "model", "note"),
    [
        ((G6E_48X,), PUBLISHED_FOR, 67, Note.FAR_FROM_PUBLISHED),
        ((P5, G6E_48X), PUBLISHED_FOR, 67, Note.SEVERAL_TYPES),
        ((P5,), None, 67, Note.VERSION_UNKNOWN),
        ((P5,), PUBLISHED_FOR, 800, Note.FAR_FROM_PUBLISHED),
    ],
    ids=["another instance type", "several types", "unknown version", "a far larger model"],
)
def test_what_is_less_certain_is_wider_and_says_so(
    types: tuple[InstanceType, ...], version: tuple[int, int, int] | None, model: float, note: Note
) -> None:
    certain = some(pod_of(QWEN, PUBLISHED_FOR), world(P5))
    less = some(pod_of(QWEN, version), world(*types, shards=shards(17, model)))
    assert note in notes(less) - notes(certain)
    (narrow, *_), (wide, *_) = weights(certain), weights(less)
    assert narrow is not None
    assert wide is not None
    assert wide.high / wide.low > narrow.high / narrow.low


def test_the_range_of_several_types_spans_each_of_them() -> None:
    models = shards(17, 30)
    one, other, both = (
        weights(some(around=world(*types, shards=models)))[0] for types in ((P5,), (G5_12X,), (P5, G5_12X))
    )
    assert one is not None
    assert other is not None
    assert both is not None
    assert both.low <= min(one.low, other.low)
    assert both.high >= max(one.high, other.high)


def test_slow_requests_of_a_load_between_the_published_ones_span_either_explanation() -> None:
    # As many ranks as the slow load and the size of the quick one.
    found = some(pod(gpus=4, tensor_parallel_size=4), world(P5, shards=shards(17, 67)))
    before = weights(found)[0]
    assert before is not None
    assert before.high > 4 * before.low
    assert Note.SLOW_REQUESTS in notes(found)


OFFLINE = Unknown(because(Code.OFFLINE, subject="the model"))


@pytest.mark.parametrize(
    ("pod", "around", "note"),
    [
        (facts(), world(P5, shards=OFFLINE), Note.SHARDS_UNKNOWN),
        (facts(), world(), Note.NETWORK_UNKNOWN),
        (pod(environment={"AWS_ENDPOINT_URL": "http://minio:9000"}), world(P5), Note.STORE_UNKNOWN),
        (pod(environment={"RUNAI_STREAMER_CONCURRENCY": None}), world(P5), Note.SETTINGS_UNKNOWN),
        (pod(loader=LoaderConfig(readable=False)), world(P5), Note.SETTINGS_UNKNOWN),
        (pod(model="gs://models/m"), world(P5), Note.STORE_UNKNOWN),
    ],
    ids=["shards", "instance type", "private store", "hidden setting", "hidden loader", "another cloud"],
)
def test_weights_that_cannot_be_told_have_no_figure(pod: PodFacts, around: World, note: Note) -> None:
    found = some(pod, around)
    assert weights(found) == [None] * 3
    assert note in notes(found)
    assert [each.model_start for each in found.scenarios] == [None] * 3
    assert (found.saved.first_pod, found.saved.next_pods) == (None, None)
    assert compiles(found)[2] == Range(4, 6)


def test_a_pod_that_memory_would_kill_untouched_has_no_time_to_compare_with() -> None:
    short = facts(container=container(memory_limit_bytes=48 * GIB))
    found = some(short)
    before, after, _ = weights(found)
    assert before is None
    assert after is not None
    assert Note.MEMORY_SHORT in notes(found)
    assert found.saved.first_pod is None


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", [P5, G5_12X, G5_XL, G6E_48X], ids=lambda kind: kind.name)
@pytest.mark.parametrize(("count", "size"), [(1, 1), (4, 16), (17, 67), (50, 203), (200, 800), (100, 30)])
def test_no_saving_is_negative(
    kind: InstanceType, version: tuple[int, int, int] | None, count: int, size: float
) -> None:
    for ranks in (1, 2, 4, 8):
        case = msgspec.structs.replace(QWEN, tensor_parallel_size=ranks)
        found = some(pod_of(case, version), world(kind, shards=shards(count, size)))
        assert found.saved.first_pod is not None
        assert found.saved.first_pod.low >= 0


def test_a_model_that_is_not_streamed_saves_compiling_alone() -> None:
    found = some(pod(model="Qwen/Qwen3.6-35B-A3B"), world(P5, shards=None))
    assert Note.NOT_STREAMED in notes(found)
    assert found.saved.first_pod == Range(0, 0)
    assert found.saved.next_pods == Range(47, 49)


def test_another_models_compiling_spans_the_published_times() -> None:
    found = some()
    assert compiles(found)[0] == Range(34, 53)
    assert Note.COMPILE_OF_ANOTHER_MODEL in notes(found)


def test_an_eager_engine_compiles_nothing() -> None:
    found = some(pod(eager=True))
    assert compiles(found) == [Range(0, 0)] * 3
    assert found.saved.next_pods == found.saved.first_pod


def test_what_sglang_compiles_is_unknown() -> None:
    found = some(pod(engine=Engine.SGLANG))
    assert compiles(found) == [None] * 3
    assert Note.COMPILE_UNKNOWN in notes(found)
    assert found.saved.first_pod == found.saved.next_pods
    assert found.saved.first_pod is not None


def test_a_cache_of_the_users_saves_nothing_more() -> None:
    found = some(pod(environment={"VLLM_CACHE_ROOT": "/cache"}))
    assert compiles(found) == [Range(4, 53)] * 3
    assert Note.CACHE_IS_THE_USERS in notes(found)
    assert found.saved.next_pods == found.saved.first_pod


def test_without_the_cache_a_next_pod_compiles_again() -> None:
    found = estimate_of(QWEN, PUBLISHED_FOR, features=frozenset({Feature.STREAMER, Feature.RETRY}))
    assert compiles(found) == [Range(53, 53)] * 3
    assert (start(found.scenarios[2]).low, start(found.scenarios[2]).high) == (
        start(found.scenarios[1]).low,
        start(found.scenarios[1]).high,
    )


def test_a_cache_on_a_claim_is_an_estimate() -> None:
    found = estimate_of(QWEN, PUBLISHED_FOR, cache=CacheChoice(CacheKind.PVC, "cache"))
    (layer,) = (layer for layer in found.scenarios[2].layers if layer.name is LayerName.COMPILE)
    assert layer.basis is Basis.ESTIMATED


def test_the_users_settings_enter_both_sides() -> None:
    users: dict[str, str | None] = {
        "RUNAI_STREAMER_CONCURRENCY": "17",
        "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT": "1048576",
        "RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS": "3000",
    }
    arranged = some(pod(environment=users))
    before, after, _ = weights(arranged)
    assert before == after == weights(some())[1]
    assert arranged.saved.first_pod == Range(0, 0)


def test_what_is_set_by_an_earlier_pass_counts_the_same() -> None:
    first = some(pod_of(QWEN, PUBLISHED_FOR))
    ours = {setting.name: setting.value for setting in plan(pod_of(QWEN, PUBLISHED_FOR)).settings}
    again = msgspec.structs.replace(pod_of(QWEN, PUBLISHED_FOR), container=container(env=env(ours)))
    assert weights(some(again)) == [weights(first)[1]] * 3


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_a_large_chunk_of_the_users_is_reckoned_to_take_longer(version: Version | None) -> None:
    without = weights(some(pod_of(QWEN, version)))[1]
    own = container(env=env({"RUNAI_STREAMER_CHUNK_BYTESIZE": str(4 * GIB)}))
    chunked = weights(some(msgspec.structs.replace(pod_of(QWEN, version), container=own)))[1]
    assert without is not None
    assert chunked is not None
    assert chunked.high > without.high


def test_a_pod_that_is_left_alone_has_no_estimate() -> None:
    assert made(facts(launch=None), world(P5)) is None
    assert made(facts(skips=(because(Code.UNDECIDABLE_SCRIPT, container="engine", problem="if"),)), world(P5)) is None
    assert made(pod(engine=Engine.SGLANG), world(P5, shards=OFFLINE)) is None


def money(estimate: Estimate) -> Money:
    assert estimate.money is not None
    return estimate.money


def test_money_is_the_pods_share_of_a_published_price() -> None:
    found = estimate_of(QWEN, PUBLISHED_FOR)
    assert money(found).price.usd_per_hour == Range(13.75, 13.75)  # 2 of 8 GPUs at 55 USD/h
    assert "September 2026" in money(found).price.source
    saved, worth = found.saved.first_pod, money(found).first_pod
    assert saved is not None
    assert worth is not None
    assert worth.low == pytest.approx(saved.low / 3600 * 13.75, abs=1e-4)


@pytest.mark.parametrize(
    ("types", "given", "price"),
    [
        ((G5_12X,), None, Range(5, 10)),  # half of 10 to 20 USD/h
        ((G5_XL,), None, None),
        ((P5, G5_XL), None, None),
        ((P5,), 40.0, Range(10, 10)),
        ((P5, G5_12X), 40.0, Range(10, 20)),
    ],
    ids=["G family", "a small one", "one of two unknown", "given", "given, over several"],
)
def test_a_price_is_known_or_there_is_none(
    types: tuple[InstanceType, ...], given: float | None, price: Range | None
) -> None:
    found = some(around=world(*types), usd_per_hour=given)
    assert (found.money.price.usd_per_hour if found.money else None) == price
    assert (Note.PRICE_UNKNOWN in notes(found)) is (price is None)
