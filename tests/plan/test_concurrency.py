"""Workers of a rank: one for each file, within ranks, network, open files and what the user says."""

import pytest

from tests.plan.make import (
    G5_12X,
    G5_XL,
    P5,
    codes,
    container,
    env,
    facts,
    instance,
    launch,
    plan,
    shards,
    streamer_settings,
    subject,
    world,
)
from webhook.lookup.facts import InstanceType, Shards, Source, Unknown, World
from webhook.plan.reading import local_ranks, reading_of
from webhook.pod.facts import Annotations, Engine, Launch, LoaderConfig, PodFacts, UserEnv
from webhook.reasons import Code, because

NOT_YET = Unknown(because(Code.LOOKUP_SLOW, subject="the model"))
P4D = instance("p4d.24xlarge", 8, 400, "A100")
TP_8 = facts(launch=launch(tensor_parallel_size=8), container=container(gpus=8))


RANKS = [
    ("TP within the pod's GPUs", {}, 2, (), 2),
    ("TP over two nodes of 8", {"tensor_parallel_size": 16, "nodes": None}, 8, (), 8),
    ("TP 2 over two nodes of one GPU", {"tensor_parallel_size": 2, "nodes": 2}, 1, (), 1),
    ("DRA hides the GPUs", {"tensor_parallel_size": 4}, None, (), 4),
    ("DRA over two nodes", {"tensor_parallel_size": 8, "nodes": 2}, None, (), 4),
    ("TP times PP", {"tensor_parallel_size": 4, "pipeline_parallel_size": 2}, 8, (), 8),
    ("PP not known", {"tensor_parallel_size": 4, "pipeline_parallel_size": None}, 8, (), 4),
    (
        "TP times PP times DP",
        {"tensor_parallel_size": 4, "pipeline_parallel_size": 2, "data_parallel_size": 2},
        8,
        (),
        8,
    ),
    ("local DP", {"tensor_parallel_size": 1, "data_parallel_size": 16, "data_parallel_size_local": 8}, None, (), 8),
    ("DP over nodes", {"tensor_parallel_size": 1, "data_parallel_size": 16, "nodes": 4}, None, (), 4),
    ("TP not known", {"tensor_parallel_size": None}, 4, (), 4),
    ("TP and GPUs not known", {"tensor_parallel_size": None}, None, (G5_XL, P5), 8),
    ("nothing known", {"tensor_parallel_size": None}, None, (), 1),
]


@pytest.mark.parametrize(("line", "gpus", "types", "ranks"), [row[1:] for row in RANKS], ids=[row[0] for row in RANKS])
def test_ranks_on_the_node(
    line: dict[str, int | None], gpus: int | None, types: tuple[InstanceType, ...], ranks: int
) -> None:
    case = subject(facts(launch=launch(**line), container=container(gpus=gpus)), world(*types))
    assert local_ranks(case) == ranks


SHARDED = shards(80, 800, rank_count=10, rank_bytes=100 << 30, ranks=8)
PARTS = [
    ("every rank reads all", launch(), shards(17, 67), 17),
    ("distributed", launch(loader=LoaderConfig(distributed=True)), shards(17, 67), 9),
    ("SGLang distributes by itself", launch(engine=Engine.SGLANG), shards(17, 67), 9),
    ("SGLang told not to", launch(engine=Engine.SGLANG, loader=LoaderConfig(distributed=False)), shards(17, 67), 17),
    ("one rank has nobody to share with", launch(engine=Engine.SGLANG, tensor_parallel_size=1), shards(17, 67), 17),
    ("a rank's own files", launch(load_format="runai_streamer_sharded"), SHARDED, 10),
]


@pytest.mark.parametrize(("line", "listing", "count"), [row[1:] for row in PARTS], ids=[row[0] for row in PARTS])
def test_shards_that_a_rank_reads(line: Launch, listing: Shards, count: int) -> None:
    assert reading_of(subject(facts(launch=line), world(P5, shards=listing))).shards == count


WORKERS = [
    ("one for each file", facts(), world(P5), {}, "17", Code.CONCURRENCY_SHARDS),
    ("never under the default", facts(), world(P5, shards=shards(3, 12)), {}, None, Code.CONCURRENCY_DEFAULT),
    ("the default needs no name", facts(), world(P5, shards=shards(8, 31)), {}, None, Code.CONCURRENCY_DEFAULT),
    ("a small model in many files", facts(), world(P5, shards=shards(50, 1)), {}, None, Code.CONCURRENCY_DEFAULT),
    ("no more than a model keeps busy", facts(), world(P5, shards=shards(50, 2)), {}, "12", Code.CONCURRENCY_MOST),
    ("no more than 64", facts(), world(P5, shards=shards(200, 800)), {}, "64", Code.CONCURRENCY_MOST),
    ("open files", facts(), world(P5), {"open_files": 1024}, "16", Code.CONCURRENCY_OPEN_FILES),
    ("8 ranks on 400 Gbit/s", TP_8, world(P4D, shards=shards(50, 203)), {}, "15", Code.CONCURRENCY_NETWORK),
    ("a slow network keeps the default", facts(), world(G5_12X), {}, None, Code.CONCURRENCY_DEFAULT),
    ("the worst type counts", facts(), world(P5, G5_12X), {}, None, Code.WORST_INSTANCE_TYPE),
    ("no type known", facts(), world(source=Source.CATALOGUE), {}, "17", Code.CONCURRENCY_SHARDS),
    ("no files", facts(), world(P5, shards=shards(0, 0)), {}, None, Code.CHUNK_DEFAULT),
]


@pytest.mark.parametrize(
    ("pod", "around", "settings", "value", "code"), [row[1:] for row in WORKERS], ids=[row[0] for row in WORKERS]
)
def test_workers(pod: PodFacts, around: World, settings: dict[str, int], value: str | None, code: Code) -> None:
    decided = plan(pod, around, **settings)
    assert streamer_settings(decided).get("CONCURRENCY") == value
    assert code in codes(decided)


OPEN_FILES = [
    ("many", 65_536, world(P5), "17"),
    ("as many as the default takes", 512, world(P5), None),
    ("fewer than the default takes", 511, world(P5), "7"),
    ("fewer, and the shards are not known", 256, world(P5, shards=NOT_YET), "4"),
    ("fewer than one worker takes", 20, world(P5), "1"),
]


@pytest.mark.parametrize(
    ("limit", "around", "value"), [row[1:] for row in OPEN_FILES], ids=[row[0] for row in OPEN_FILES]
)
def test_a_scripts_own_limit_on_open_files(limit: int, around: World, value: str | None) -> None:
    decided = plan(facts(container=container(open_files=limit)), around)
    assert streamer_settings(decided).get("CONCURRENCY") == value
    assert (Code.CONCURRENCY_OPEN_FILES in codes(decided)) is (limit < 17 * 64)


def test_the_operators_limit_on_open_files_stands_beside_a_scripts() -> None:
    pod = facts(container=container(open_files=1 << 20))
    assert streamer_settings(plan(pod, open_files=1024))["CONCURRENCY"] == "16"


@pytest.mark.parametrize(("workers", "taken"), [(1, True), (16, True), (17, False), (2000, False)])
def test_an_annotation_that_would_fail_the_load_is_refused(workers: int, *, taken: bool) -> None:
    pod = facts(container=container(open_files=1024), annotations=Annotations(concurrency=workers))
    decided = plan(pod)
    assert streamer_settings(decided).get("CONCURRENCY") == (str(workers) if taken else None)
    assert (Code.ANNOTATION_REFUSED in codes(decided)) is not taken


USERS = [
    ("environment", env({"RUNAI_STREAMER_CONCURRENCY": "4"}), LoaderConfig(), Code.USER_SET),
    ("a value not yet known", env({"RUNAI_STREAMER_CONCURRENCY": None}), LoaderConfig(), Code.USER_SET),
    ("an empty value", env({"RUNAI_STREAMER_CONCURRENCY": ""}), LoaderConfig(), Code.USER_SET),
    ("the newer name", env({"RUNAI_STREAMER_OBJ_CONCURRENCY": "4"}), LoaderConfig(), Code.USER_SET),
    ("loader JSON", env(), LoaderConfig(concurrency=4), Code.LOADER_CONFIG_WINS),
    ("unreadable loader JSON", env(), LoaderConfig(readable=False), Code.LOADER_CONFIG_UNREADABLE),
]


@pytest.mark.parametrize(("users", "loader", "code"), [row[1:] for row in USERS], ids=[row[0] for row in USERS])
def test_the_users_workers_stay(users: UserEnv, loader: LoaderConfig, code: Code) -> None:
    annotated = Annotations(concurrency=30)
    pod = facts(launch=launch(loader=loader), container=container(env=users), annotations=annotated)
    decided = plan(pod)
    assert "CONCURRENCY" not in streamer_settings(decided)
    assert code in codes(decided)


def test_an_annotation_is_taken_as_it_is() -> None:
    decided = plan(facts(annotations=Annotations(concurrency=100)), world(G5_XL, shards=shards(2, 1)))
    assert streamer_settings(decided)["CONCURRENCY"] == "100"
    assert Code.CHOSEN_BY_ANNOTATION in codes(decided)


def test_an_annotation_says_the_default_too() -> None:
    assert streamer_settings(plan(facts(annotations=Annotations(concurrency=8))))["CONCURRENCY"] == "8"
