"""Whole plans: the published cases, what is left alone, order and status."""

import json

import msgspec
import pytest

from tests.plan.make import P5, codes, container, enforcing, env, facts, launch, plan, shards, streamer_settings, world
from webhook.lookup.facts import Candidates, Namespace, PodSecurity, Shards, Source, Unknown
from webhook.plan.types import HostPathVolume, Plan, Status, Verdict
from webhook.plan.versions import Version
from webhook.pod.facts import Annotations, Engine, Feature, Launch, LoaderConfig, PodFacts
from webhook.reasons import Advice, Code, advise, because

PUBLISHED_RETRY = {"S3_REQUEST_TIMEOUT_MS": "3000", "S3_LOW_SPEED_LIMIT": "1048576"}
TP_4 = facts(launch=launch(tensor_parallel_size=4), container=container(gpus=4))
SLOW = Unknown(because(Code.LOOKUP_SLOW, subject="the model's files"))


@pytest.mark.parametrize(
    ("version", "extra"),
    [
        ((0, 15, 9), {}),
        ((0, 16, 1), {}),
        ((0, 17, 1), {"S3_TIMEOUT": "60"}),
        (None, {"S3_TIMEOUT": "60"}),
    ],
    ids=["0.15.9", "0.16.1", "0.17.1", "unknown"],
)
@pytest.mark.parametrize(
    ("pod", "listing", "workers"),
    [(facts(), shards(17, 67), "17"), (TP_4, shards(50, 203), "50")],
    ids=["64 GB, TP 2", "203 GiB, TP 4"],
)
def test_the_published_cases_come_out_exactly(
    pod: PodFacts, listing: Shards, workers: str, version: Version | None, extra: dict[str, str]
) -> None:
    annotations = Annotations(streamer_version=version)
    decided = plan(msgspec.structs.replace(pod, annotations=annotations), world(P5, shards=listing))
    assert streamer_settings(decided) == {"CONCURRENCY": workers, **PUBLISHED_RETRY, **extra}
    assert (decided.status, decided.streamer, decided.retry, decided.cache) == (
        Status.INJECTED,
        Verdict.TUNE,
        Verdict.TUNE,
        Verdict.TUNE,
    )
    assert decided.volume is not None
    assert isinstance(decided.volume.source, HostPathVolume)


def test_settings_come_in_a_fixed_order() -> None:
    small = facts(
        container=container(memory_limit_bytes=48 << 30), annotations=Annotations(concurrency=9, chunk_bytes=8 << 20)
    )
    assert [setting.name for setting in plan(small).settings] == [
        "RUNAI_STREAMER_CHUNK_BYTESIZE",
        "RUNAI_STREAMER_CONCURRENCY",
        "RUNAI_STREAMER_MEMORY_LIMIT",
        "RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS",
        "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT",
        "RUNAI_STREAMER_S3_TIMEOUT",
        "VLLM_CACHE_ROOT",
        "TORCHINDUCTOR_CACHE_DIR",
        "TRITON_CACHE_DIR",
        "CUDA_CACHE_PATH",
        "FLASHINFER_WORKSPACE_BASE",
        "DG_JIT_CACHE_DIR",
        "TILELANG_CACHE_DIR",
        "CUTE_DSL_CACHE_DIR",
        "VLLM_ASSETS_CACHE",
    ]


def _nothing(decided: Plan) -> bool:
    return (
        decided.status is Status.SKIPPED
        and {decided.streamer, decided.retry, decided.cache} == {Verdict.SKIP}
        and not decided.settings
        and decided.volume is None
    )


def test_an_unrecognised_pod_is_left_alone() -> None:
    reason = because(Code.NO_ENGINE)
    decided = plan(facts(launch=None, container=None, skips=(reason,)), world(shards=None))
    assert _nothing(decided)
    assert decided.reasons == (reason,)


def test_an_undecidable_pod_is_left_alone_though_its_engine_is_known() -> None:
    reason = because(Code.UNDECIDABLE_SCRIPT, container="engine", problem="it branches")
    decided = plan(facts(skips=(reason,)))
    assert _nothing(decided)
    assert decided.reasons == (reason,)


NOT_STREAMED = [
    ("Hugging Face id", launch(model="org/m"), Code.NOT_OBJECT_STORAGE),
    ("local path", launch(model="/mnt/models"), Code.NOT_OBJECT_STORAGE),
    ("file URI", launch(model="file:///mnt/models"), Code.NOT_OBJECT_STORAGE),
    ("model not known", launch(model=None), Code.MODEL_UNTOLD),
    ("tensorizer", launch(load_format="tensorizer"), Code.OTHER_LOAD_FORMAT),
    ("load format not known", launch(load_format=None), Code.OTHER_LOAD_FORMAT),
    ("SGLang, local path", launch(engine=Engine.SGLANG, model="/data"), Code.NOT_OBJECT_STORAGE),
]


@pytest.mark.parametrize(("line", "code"), [row[1:] for row in NOT_STREAMED], ids=[row[0] for row in NOT_STREAMED])
def test_weights_that_do_not_come_through_the_streamer_still_get_a_compile_cache(line: Launch, code: Code) -> None:
    decided = plan(facts(launch=line), world(P5, shards=None))
    assert (decided.streamer, decided.retry, decided.cache) == (Verdict.SKIP, Verdict.SKIP, Verdict.TUNE)
    assert streamer_settings(decided) == {}
    assert code in codes(decided)
    assert decided.status is Status.INJECTED


STREAMED = [
    ("any case", launch(model="S3://models/m"), Verdict.TUNE),
    ("explicit format", launch(load_format="runai_streamer"), Verdict.TUNE),
    ("Google Cloud Storage", launch(model="gs://models/m"), Verdict.SKIP),
    ("Azure", launch(model="az://models/m"), Verdict.SKIP),
    ("SGLang, whatever the format", launch(engine=Engine.SGLANG, load_format="safetensors"), Verdict.TUNE),
]


@pytest.mark.parametrize(("line", "retry"), [row[1:] for row in STREAMED], ids=[row[0] for row in STREAMED])
def test_object_storage_is_tuned_and_only_s3_gets_retries(line: Launch, retry: Verdict) -> None:
    decided = plan(facts(launch=line))
    assert (decided.streamer, decided.retry) == (Verdict.TUNE, retry)
    assert ("S3_TIMEOUT" in streamer_settings(decided)) is (retry is Verdict.TUNE)


def test_an_annotated_model_and_parallelism_stand_for_the_launch_line() -> None:
    decided = plan(
        facts(
            launch=launch(model="org/m", tensor_parallel_size=None),
            annotations=Annotations(model="s3://models/m", tensor_parallel_size=2),
        )
    )
    assert streamer_settings(decided)["CONCURRENCY"] == "17"


@pytest.mark.parametrize("feature", list(Feature))
def test_features_restrict_what_is_done(feature: Feature) -> None:
    decided = plan(facts(annotations=Annotations(features=frozenset({feature}))))
    verdicts = {
        Feature.STREAMER: decided.streamer,
        Feature.RETRY: decided.retry,
        Feature.CACHE: decided.cache,
    }
    assert [each for each, verdict in verdicts.items() if verdict is Verdict.TUNE] == [feature]
    assert Code.FEATURE_OFF in codes(decided)


@pytest.mark.parametrize("left_out", list(Feature))
def test_what_the_operator_does_not_offer_no_annotation_brings_back(left_out: Feature) -> None:
    asked = facts(annotations=Annotations(features=frozenset({left_out})))
    decided = plan(asked, features=tuple(each for each in Feature if each is not left_out))
    assert (decided.status, decided.settings, decided.volume) == (Status.SKIPPED, (), None)
    assert because(Code.FEATURE_NOT_OFFERED, feature=left_out) in decided.reasons


def test_an_operator_without_the_cache_adds_no_volume() -> None:
    decided = plan(features=(Feature.STREAMER, Feature.RETRY))
    assert (decided.streamer, decided.retry, decided.cache) == (Verdict.TUNE, Verdict.TUNE, Verdict.SKIP)
    assert (decided.status, decided.volume) == (Status.INJECTED, None)


def test_a_bad_annotation_disables_what_it_steers_and_is_named() -> None:
    problem = because(Code.BAD_ANNOTATION, annotation="fastload.dev/concurrency", problem="'many' is no number")
    annotations = Annotations(disabled=frozenset({Feature.STREAMER}), problems=(problem,))
    decided = plan(facts(annotations=annotations))
    assert decided.streamer is Verdict.SKIP
    assert decided.reasons[0] == problem
    assert "CONCURRENCY" not in streamer_settings(decided)
    assert decided.retry is Verdict.TUNE


def test_shards_that_are_not_known_leave_the_rest_in_force() -> None:
    decided = plan(world=world(P5, shards=SLOW))
    assert decided.status is Status.PARTIAL
    assert decided.streamer is Verdict.TUNE
    assert streamer_settings(decided) == {**PUBLISHED_RETRY, "S3_TIMEOUT": "60"}
    assert SLOW.reason in decided.reasons


def test_a_namespace_that_is_not_known_gets_no_folder_of_the_node() -> None:
    unknown = Unknown(because(Code.NAMESPACE_UNKNOWN, namespace="serving", problem="timed out"))
    decided = plan(world=world(P5, namespace=unknown))
    assert (decided.status, decided.cache, decided.volume) == (Status.PARTIAL, Verdict.SKIP, None)
    assert unknown.reason in decided.reasons


def test_an_instance_type_that_is_not_known_leaves_the_speed_limit_unset() -> None:
    decided = plan(world=world())
    assert decided.status is Status.PARTIAL
    assert streamer_settings(decided) == {"CONCURRENCY": "17", "S3_TIMEOUT": "60"}
    assert Code.NETWORK_UNKNOWN in codes(decided)


def test_all_names_the_users_own_is_a_rule_that_applies_and_sets_nothing() -> None:
    users = env(
        dict.fromkeys(
            [
                "RUNAI_STREAMER_CONCURRENCY",
                "RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS",
                "RUNAI_STREAMER_S3_TIMEOUT",
                "VLLM_CACHE_ROOT",
            ],
            "9",
        )
    )
    decided = plan(facts(container=container(env=users)))
    assert decided.settings == ()
    assert (decided.status, decided.streamer, decided.cache) == (Status.SKIPPED, Verdict.TUNE, Verdict.KEEP)


@pytest.mark.parametrize(("prefixes", "guarded"), [((), False), (("",), True)], ids=["all in sight", "envFrom"])
def test_names_behind_env_from_are_said_to_be_guarded(prefixes: tuple[str, ...], *, guarded: bool) -> None:
    decided = plan(facts(container=container(env=env({}, *prefixes))))
    assert (Code.ENV_FROM_GUARDED in codes(decided)) is guarded


def test_reasons_are_said_once() -> None:
    line = launch(loader=LoaderConfig(readable=False))
    decided = plan(facts(launch=line))
    assert len(set(decided.reasons)) == len(decided.reasons)
    assert [reason.code for reason in decided.reasons].count(Code.LOADER_CONFIG_UNREADABLE) == 1


def test_the_pods_own_advice_comes_first_and_each_piece_once() -> None:
    own = advise(Advice.ENFORCE_EAGER)
    decided = plan(facts(launch=launch(eager=True), advice=(own,)))
    assert [piece.code for piece in decided.advice].count(Advice.ENFORCE_EAGER) == 1
    assert decided.advice[0] == own


def test_advice_is_never_applied_by_annotation() -> None:
    decided = plan(facts(annotations=Annotations(apply_advice=frozenset({"distributed"}))))
    assert Code.ADVICE_NOT_APPLIED in codes(decided)


def test_a_baseline_namespace_is_tuned_without_a_volume() -> None:
    decided = plan(world=world(P5, namespace=enforcing(PodSecurity.BASELINE)))
    assert (decided.cache, decided.volume, decided.status) == (Verdict.SKIP, None, Status.INJECTED)
    assert Code.POD_SECURITY in codes(decided)


def test_the_summary_explains_the_plan_in_one_bounded_line() -> None:
    types = [P5] * 12
    summary = json.loads(plan(world=world(*types, namespace=Namespace(name="serving"))).summary)
    assert summary["rules"] >= 1
    assert (summary["shards"], summary["bytes"]) == (17, 67 << 30)
    assert len(summary["instance_types"]) + summary["more_instance_types"] == 12
    assert len(summary["instance_types"]) == 8
    assert summary["values"]["RUNAI_STREAMER_CONCURRENCY"] == ["17", "concurrency-shards"]
    assert summary["cache"].startswith("/mnt/k8s-disks/0/fastload/serving/")
    assert "\n" not in plan().summary


def test_a_type_that_the_catalogue_lacks_is_named() -> None:
    candidates = Candidates(types=(), source=Source.ANNOTATION, missing=("p9.foo",))
    decided = plan(facts(), msgspec.structs.replace(world(), candidates=candidates))
    (reason,) = [each for each in decided.reasons if each.code is Code.UNKNOWN_INSTANCE_TYPE]
    assert "p9.foo (known by annotation)" in reason.text
    assert Code.NETWORK_UNKNOWN in codes(decided)
