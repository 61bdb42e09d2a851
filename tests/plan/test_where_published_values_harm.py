"""Where the published values would do harm, the plan differs and says why.

The published values: a chunk of 4 GiB, a worker for each shard file, requests given up after 3000 ms under 1 MiB/s.
What each row stands on was measured; docs/tuning.md has the figures.
"""

import pytest

from tests.plan.make import P5, codes, container, facts, instance, launch, plan, shards, streamer_settings, world
from webhook.lookup.facts import World
from webhook.plan.inflight import GIB
from webhook.plan.settings import ChunkPolicy
from webhook.pod.facts import Annotations, PodFacts
from webhook.reasons import Code

SINGLE = launch(tensor_parallel_size=1)
TP_8 = launch(tensor_parallel_size=8)
OLD, NEWER, NEWEST = (0, 15, 9), (0, 16, 1), (0, 17, 1)


def single(version: tuple[int, int, int] | None = None, memory: int | None = None) -> PodFacts:
    engine = container(gpus=1, memory_limit_bytes=memory)
    return facts(launch=SINGLE, container=engine, annotations=Annotations(streamer_version=version))


def eight(memory: int | None = None) -> PodFacts:
    return facts(
        launch=TP_8,
        container=container(gpus=8, memory_limit_bytes=memory),
        annotations=Annotations(streamer_version=NEWEST),
    )


def link(gbps: float, gpus: int, count: int, gib: float) -> World:
    return world(instance("g.test", gpus, gbps), shards=shards(count, gib))


# What is set for the names of the row; an absent name is left alone.
CASES = [
    # 12.8 s against 65.3 s where 10 % of the requests crawl, but: every request killed six times over, load failed.
    (
        "0.5 Gbit/s fails under 1 MiB/s",
        single(),
        link(0.5, 1, 1, 1),
        {"S3_LOW_SPEED_LIMIT": "65536"},
        Code.RETRY_LOWERED,
    ),
    ("0.1 Gbit/s bears no limit at all", single(), link(0.1, 1, 17, 67), {}, Code.SLOW_NETWORK),
    ("8 ranks on 25 Gbit/s", eight(), link(25, 8, 17, 67), {"S3_LOW_SPEED_LIMIT": "524288"}, Code.RETRY_LOWERED),
    # 16.5 s against 5.7 s in 0.13.4, 77.8 s against 3.7 s in 0.16.1.
    ("1 GiB in chunks of 4 GiB, 0.15.9", single(OLD), world(P5, shards=shards(4, 1)), {}, Code.CHUNK_DEFAULT),
    # 140.3 s against 58.2 s in 0.15.9, 140.2 s against 49.7 s in 0.16.1.
    ("chunks of 4 GiB, 0.15.9", single(OLD), world(P5), {"CONCURRENCY": "17"}, Code.CHUNK_DEFAULT),
    ("chunks of 4 GiB, 0.16.1", single(NEWER), world(P5), {"CONCURRENCY": "17"}, Code.CHUNK_DEFAULT),
    ("chunks of 4 GiB, 0.17.1", single(NEWEST), world(P5), {"CONCURRENCY": "17"}, Code.CHUNK_DEFAULT),
    # A worker without a file of its own cannot be kept busy, and the default already asks for more at once.
    ("3 files, 3 workers", single(), world(P5, shards=shards(3, 12)), {}, Code.CONCURRENCY_DEFAULT),
    # The streamer's own buffer of 40 GB for each of 8 ranks ends the engine without a traceback.
    ("8 ranks in 64 GiB", eight(64 * GIB), world(P5, shards=shards(30, 131)), {"CONCURRENCY": "4"}, Code.MEMORY_BUDGET),
    ("17 workers in 17 GiB", single(memory=17 * GIB), world(P5), {"CONCURRENCY": "17"}, Code.MEMORY_BUDGET),
    ("17 workers in 14 GiB", single(memory=14 * GIB), world(P5), {"CONCURRENCY": "14"}, Code.CONCURRENCY_MEMORY),
]
CHOSEN = ("CHUNK_BYTESIZE", "CONCURRENCY")


@pytest.mark.parametrize(("pod", "around", "values", "code"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_the_plan_differs_and_says_why(pod: PodFacts, around: World, values: dict[str, str], code: Code) -> None:
    decided = plan(pod, around)
    settings = streamer_settings(decided)
    expected = {**dict.fromkeys(CHOSEN), **values}
    assert {name: settings.get(name) for name in expected} == expected
    assert code in codes(decided)
    if code is Code.SLOW_NETWORK:
        assert not {"S3_LOW_SPEED_LIMIT", "S3_REQUEST_TIMEOUT_MS"} & settings.keys()


def test_1024_open_files_bear_16_workers() -> None:
    # 17 fail the load: the streamer wants 64 files for each.
    decided = plan(open_files=1024)
    assert streamer_settings(decided)["CONCURRENCY"] == "16"
    assert Code.CONCURRENCY_OPEN_FILES in codes(decided)


def test_an_operator_who_wants_the_published_chunk_still_gets_whole_chunks_only() -> None:
    decided = plan(single(), world(P5, shards=shards(4, 1)), chunk=ChunkPolicy.PUBLISHED)
    assert "CHUNK_BYTESIZE" not in streamer_settings(decided)
