"""The streamer's buffer within the container's memory limit."""

import pytest

from tests.plan.make import P5, advised, codes, container, env, facts, launch, plan, shards, streamer_settings, world
from webhook.lookup.facts import Shards
from webhook.plan.inflight import GIB, MIB
from webhook.plan.types import Plan
from webhook.pod.facts import Annotations, Engine, EngineContainer, Launch, LoaderConfig, Mount, PodFacts, VolumeKind
from webhook.reasons import Advice, Code

TP_1 = launch(tensor_parallel_size=1)
TP_8 = launch(tensor_parallel_size=8)
SGLANG = launch(tensor_parallel_size=8, engine=Engine.SGLANG)
SHARDED = launch(tensor_parallel_size=8, load_format="runai_streamer_sharded")


def one(gib: float, *mounts: Mount) -> EngineContainer:
    return container(gpus=1, memory_limit_bytes=int(gib * GIB), mounts=mounts)


def limit(decided: Plan) -> float:
    """The memory limit that is set, in GiB; 0 where none is."""
    return int(streamer_settings(decided).get("MEMORY_LIMIT", 0)) / GIB


def shm(size: int | None) -> Mount:
    return Mount("/dev/shm", "shm", VolumeKind.MEMORY, size_bytes=size)


LEFT_ALONE = [
    ("no limit", facts(), Code.MEMORY_UNLIMITED),
    ("plenty", facts(container=container(memory_limit_bytes=512 * GIB)), Code.MEMORY_FITS),
    ("plenty for a small model", facts(launch=TP_1, container=one(96)), Code.MEMORY_FITS),
    ("far too little", facts(launch=TP_1, container=one(8)), Code.MEMORY_SHORT),
    ("user's own", facts(container=container(env=env({"RUNAI_STREAMER_MEMORY_LIMIT": "-1"}))), Code.USER_SET),
    ("loader JSON", facts(launch=launch(loader=LoaderConfig(memory_limit=8 * GIB))), Code.LOADER_CONFIG_WINS),
    (
        "unreadable loader JSON",
        facts(launch=launch(loader=LoaderConfig(readable=False))),
        Code.LOADER_CONFIG_UNREADABLE,
    ),
    (
        "a launch that was not read",
        facts(launch=launch(loader=LoaderConfig(readable=False), read=False)),
        Code.LAUNCH_UNREAD,
    ),
]


@pytest.mark.parametrize(("pod", "code"), [row[1:] for row in LEFT_ALONE], ids=[row[0] for row in LEFT_ALONE])
def test_the_memory_limit_is_left_alone(pod: PodFacts, code: Code) -> None:
    decided = plan(pod)
    assert limit(decided) == 0
    assert code in codes(decided)


def test_eight_ranks_in_64_gib() -> None:
    pod = facts(launch=TP_8, container=container(gpus=8, memory_limit_bytes=64 * GIB))
    decided = plan(pod, world(P5, shards=shards(30, 131)))
    workers = int(streamer_settings(decided)["CONCURRENCY"])
    assert 1 <= workers < 8
    # Buffers and requests of all ranks leave a third of the container to the engine.
    assert 8 * (limit(decided) + workers * 25 * 8 / 1024) < 64 * 2 / 3
    assert limit(decided) >= 4
    assert Code.CONCURRENCY_MEMORY in codes(decided)


def test_a_tight_container_keeps_the_workers_where_it_can() -> None:
    decided = plan(facts(container=container(memory_limit_bytes=64 * GIB)))
    assert streamer_settings(decided)["CONCURRENCY"] == "17"
    assert 20 < limit(decided) < 27


def buffered(annotations: Annotations = Annotations()) -> PodFacts:  # noqa: B008 (it is immutable)
    pod = container(env=env({"RUNAI_STREAMER_MEMORY_LIMIT": str(8 * GIB)}))
    return facts(launch=TP_1, container=pod, annotations=annotations)


SMALL_BUFFERS = [
    ("a small model, which the buffer does not hold", buffered(), 10, None),
    ("a small model, which it holds", buffered(), 8, "17"),
    ("a model that it is filled with often enough", buffered(), 20, "17"),
    ("a small model in a container that has no room for both", facts(launch=TP_1, container=one(24)), 14, None),
    ("a small model in a container that has", facts(launch=TP_1, container=one(40)), 14, "17"),
    ("workers that the user asked for", buffered(Annotations(concurrency=20)), 10, "20"),
]


@pytest.mark.parametrize(
    ("pod", "gib", "workers"), [row[1:] for row in SMALL_BUFFERS], ids=[row[0] for row in SMALL_BUFFERS]
)
def test_workers_beside_a_buffer_that_does_not_hold_the_model(pod: PodFacts, gib: int, workers: str | None) -> None:
    decided = plan(pod, world(P5, shards=shards(17, gib)))

    assert streamer_settings(decided).get("CONCURRENCY") == workers


BUDGETS = [
    ("nothing else", one(32), 32 - 8),
    ("shared memory of a known size", one(40, shm(8 * GIB)), 40 - 8 - 8),
    ("shared memory without a size", one(33, shm(None)), 33 - 8 - 1),
    ("one volume mounted twice counts once", one(40, shm(8 * GIB), shm(8 * GIB)), 40 - 8 - 8),
    ("disk volumes do not count", one(32, Mount("/scratch", "s", VolumeKind.EMPTY_DIR)), 32 - 8),
]


@pytest.mark.parametrize(("engine", "budget"), [row[1:] for row in BUDGETS], ids=[row[0] for row in BUDGETS])
def test_what_memory_is_left(engine: EngineContainer, budget: float) -> None:
    requests = 17 * 25 * 8 / 1024
    decided = plan(facts(launch=TP_1, container=engine))
    assert limit(decided) == pytest.approx(budget - requests - 300 / 1024, abs=0.01)


def test_half_of_a_small_container_is_the_engines() -> None:
    decided = plan(facts(launch=TP_1, container=one(14)), world(P5, shards=shards(4, 16)))
    assert 4 <= limit(decided) < 7


def test_in_distributed_mode_the_limit_is_the_nodes() -> None:
    memory = container(memory_limit_bytes=40 * GIB)
    alone = plan(facts(container=memory), world(P5, shards=shards(9, 100)))
    together = plan(
        facts(container=memory, launch=launch(loader=LoaderConfig(distributed=True))), world(P5, shards=shards(18, 200))
    )
    assert limit(together) == 2 * limit(alone) > 0


def test_sglang_counts_as_distributed() -> None:
    decided = plan(facts(launch=launch(engine=Engine.SGLANG), container=container(memory_limit_bytes=40 * GIB)))
    each = (40 - 10) / 2
    assert each < limit(decided) < 2 * each


def test_an_annotated_limit_is_taken_as_it_is() -> None:
    decided = plan(facts(annotations=Annotations(memory_limit_bytes=3 * GIB)))
    assert limit(decided) == 3
    assert Code.CHOSEN_BY_ANNOTATION in codes(decided)


LEAST = [
    ("more than any tensor", 4 * GIB, shards(17, 67), True),
    ("less than some tensors, which is the user's to know", GIB, shards(17, 67), True),
    ("less than any", 1, shards(17, 67), False),
    ("less than any, and the shards are not known", 63 * MIB, None, False),
    ("a small model", 8 * MIB, shards(1, 1 / 128), True),
]


@pytest.mark.parametrize(("size", "listing", "taken"), [row[1:] for row in LEAST], ids=[row[0] for row in LEAST])
def test_an_annotated_limit_under_the_largest_tensor_is_refused(
    size: int, listing: Shards | None, *, taken: bool
) -> None:
    decided = plan(facts(annotations=Annotations(memory_limit_bytes=size)), world(P5, shards=listing))
    assert streamer_settings(decided).get("MEMORY_LIMIT") == (str(size) if taken else None)
    assert (Code.ANNOTATION_REFUSED in codes(decided)) is not taken


USERS_LIMITS = [
    ("environment", container(gpus=1, env=env({"RUNAI_STREAMER_MEMORY_LIMIT": str(8 * GIB)})), TP_1),
    ("loader JSON", container(gpus=1), launch(tensor_parallel_size=1, loader=LoaderConfig(memory_limit=8 * GIB))),
]


@pytest.mark.parametrize(("engine", "line"), [row[1:] for row in USERS_LIMITS], ids=[row[0] for row in USERS_LIMITS])
def test_workers_fit_beside_the_users_buffer(engine: EngineContainer, line: Launch) -> None:
    def workers(gib: int) -> str | None:
        changed = container(gpus=1, env=engine.env, memory_limit_bytes=gib * GIB)
        return streamer_settings(plan(facts(container=changed, launch=line))).get("CONCURRENCY")

    assert workers(64) == "17"
    assert workers(17) == "3"


FEW_REQUESTS = [
    ("requests are never more than the model", 5, shards(16, 1), None, Code.MEMORY_FITS),
    ("one small file on four ranks", 8, shards(1, 1 / 4), 4, Code.MEMORY_FITS),
]


@pytest.mark.parametrize(
    ("gib", "listing", "ranks", "code"), [row[1:] for row in FEW_REQUESTS], ids=[row[0] for row in FEW_REQUESTS]
)
def test_a_small_model_takes_little_memory(gib: int, listing: Shards, ranks: int | None, code: Code) -> None:
    memory = container(gpus=ranks or 1, memory_limit_bytes=gib * GIB)
    decided = plan(facts(launch=launch(tensor_parallel_size=ranks or 1), container=memory), world(P5, shards=listing))
    assert limit(decided) == 0
    assert code in codes(decided)


@pytest.mark.parametrize("line", [SGLANG, SHARDED], ids=["SGLang", "sharded"])
@pytest.mark.parametrize("gib", range(12, 90, 3))
def test_a_ranks_buffer_holds_the_largest_tensor_though_its_part_is_smaller(line: Launch, gib: int) -> None:
    pod = facts(launch=line, container=container(gpus=8, memory_limit_bytes=gib * GIB))
    decided = plan(pod, world(P5, shards=shards(3, 9)))
    ranks = 8 if line.engine is Engine.SGLANG else 1
    assert limit(decided) == 0 or limit(decided) >= 3 * ranks


def test_too_little_memory_is_said_and_not_acted_upon() -> None:
    decided = plan(facts(launch=TP_1, container=one(8)))
    assert "CONCURRENCY" not in streamer_settings(decided)
    assert Advice.MEMORY_HEADROOM in advised(decided)


def test_following_the_advice_is_enough() -> None:
    small = plan(facts(launch=TP_8, container=container(gpus=8, memory_limit_bytes=32 * GIB)))
    (piece,) = [each for each in small.advice if each.code is Advice.MEMORY_HEADROOM]
    advised_gib = int(piece.text.split("the container ")[1].split(" GiB")[0])
    enough = plan(facts(launch=TP_8, container=container(gpus=8, memory_limit_bytes=advised_gib * GIB)))
    assert Advice.MEMORY_HEADROOM not in advised(enough)


def test_small_files_may_have_a_small_buffer() -> None:
    tight = facts(launch=launch(tensor_parallel_size=4), container=container(gpus=4, memory_limit_bytes=24 * GIB))
    decided = plan(tight, world(P5, shards=shards(100, 20)))
    workers = int(streamer_settings(decided).get("CONCURRENCY", "8"))
    # The buffer holds the requests in flight.
    assert limit(decided) >= workers * 25 * 8 * MIB / GIB > 0
