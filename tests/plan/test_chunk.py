"""The chunk size: left alone in every version, but where the operator or the user wants another."""

import pytest

from tests.plan.make import (
    G5_12X,
    IMAGE,
    P5,
    codes,
    container,
    env,
    facts,
    launch,
    plan,
    shards,
    streamer_settings,
    world,
)
from webhook.lookup.facts import Shards
from webhook.plan.settings import ChunkPolicy
from webhook.plan.versions import Family, Version, families, streamer_version
from webhook.pod.facts import Annotations
from webhook.reasons import Code

OLD, NEW = (0, 15, 9), (0, 17, 1)
PUBLISHED = "4294967296"
VERSIONS: list[Version | None] = [None, (0, 13, 4), OLD, (0, 16, 0), (0, 16, 1), (0, 17, 0), NEW]
OUTCOMES = [
    ({}, None, Code.CHUNK_DEFAULT),
    ({"chunk": ChunkPolicy.AUTO}, None, Code.CHUNK_DEFAULT),
    ({"chunk": ChunkPolicy.OFF}, None, Code.CHUNK_DEFAULT),
    ({"chunk": ChunkPolicy.PUBLISHED}, PUBLISHED, Code.CHUNK_PUBLISHED),
]


@pytest.mark.parametrize("version", VERSIONS, ids=str)
@pytest.mark.parametrize(("policy", "value", "code"), OUTCOMES, ids=["unset", "auto", "off", "published"])
@pytest.mark.parametrize("listing", [shards(17, 67), shards(50, 203)], ids=["67 GiB", "203 GiB"])
def test_the_chunk_size_of_the_published_models(
    listing: Shards, version: Version | None, policy: dict[str, ChunkPolicy], value: str | None, code: Code
) -> None:
    decided = plan(facts(annotations=Annotations(streamer_version=version)), world(P5, shards=listing), **policy)
    assert streamer_settings(decided).get("CHUNK_BYTESIZE") == value
    assert [each for each in codes(decided) if each.startswith("chunk-")] == [code]


NO_WHOLE_CHUNKS = [
    ("small model", shards(4, 1)),
    ("small shards", shards(40, 67)),
    ("fewer files than workers", shards(4, 100)),
]


@pytest.mark.parametrize("version", [None, OLD, NEW], ids=str)
@pytest.mark.parametrize("listing", [row[1] for row in NO_WHOLE_CHUNKS], ids=[row[0] for row in NO_WHOLE_CHUNKS])
def test_the_published_chunk_takes_whole_chunks(listing: Shards, version: Version | None) -> None:
    pod = facts(annotations=Annotations(streamer_version=version))
    decided = plan(pod, world(P5, shards=listing), chunk=ChunkPolicy.PUBLISHED)
    assert "CHUNK_BYTESIZE" not in streamer_settings(decided)
    assert Code.CHUNK_SMALL_SHARDS in codes(decided)


def test_the_published_chunk_takes_a_buffer_with_room_for_enough() -> None:
    decided = plan(facts(container=container(memory_limit_bytes=64 << 30)), chunk=ChunkPolicy.PUBLISHED)
    assert "CHUNK_BYTESIZE" not in streamer_settings(decided)
    assert Code.CHUNK_SMALL_BUFFER in codes(decided)


@pytest.mark.parametrize("policy", ChunkPolicy)
def test_the_users_chunk_size_stays(policy: ChunkPolicy) -> None:
    users = env({"RUNAI_STREAMER_CHUNK_BYTESIZE": "8388608"})
    decided = plan(facts(container=container(env=users), annotations=Annotations(chunk_bytes=1 << 30)), chunk=policy)
    assert "CHUNK_BYTESIZE" not in streamer_settings(decided)
    assert Code.USER_SET in codes(decided)


@pytest.mark.parametrize("policy", ChunkPolicy)
def test_an_annotated_chunk_size_is_taken_as_it_is(policy: ChunkPolicy) -> None:
    pod = facts(annotations=Annotations(chunk_bytes=2 << 30))
    assert streamer_settings(plan(pod, world(G5_12X), chunk=policy))["CHUNK_BYTESIZE"] == "2147483648"


STORES = [(ChunkPolicy.AUTO, Code.CHUNK_DEFAULT), (ChunkPolicy.PUBLISHED, Code.CHUNK_NOT_S3)]


@pytest.mark.parametrize(("policy", "code"), STORES)
def test_other_stores_keep_their_chunk_size(policy: ChunkPolicy, code: Code) -> None:
    decided = plan(facts(launch=launch(model="gs://models/m")), chunk=policy)
    assert "CHUNK_BYTESIZE" not in streamer_settings(decided)
    assert code in codes(decided)


def test_the_reason_says_what_a_larger_chunk_does() -> None:
    (reason,) = [each for each in plan().reasons if each.code is Code.CHUNK_DEFAULT]
    assert "fewer requests at once, not larger ones" in reason.text


TOLD = [
    ("annotation first", (0, 17, 0), IMAGE, ("*=0.15.9",), (0, 17, 0)),
    ("first pattern that matches", None, IMAGE, ("other:*=0.14", "vllm/*=0.15.9", "*=0.17.1"), (0, 15, 9)),
    ("a pattern with an equals sign", None, "reg/a=b:1", ("reg/a=b:*=0.16.1",), (0, 16, 1)),
    ("short version", None, IMAGE, ("*=0.17",), (0, 17, 0)),
    ("no match", None, IMAGE, ("other:*=0.14",), None),
    ("no image", None, None, ("*=0.14",), None),
]


@pytest.mark.parametrize(
    ("annotated", "image", "table", "version"), [row[1:] for row in TOLD], ids=[row[0] for row in TOLD]
)
def test_the_streamers_version(
    annotated: Version | None, image: str | None, table: tuple[str, ...], version: Version | None
) -> None:
    assert streamer_version(annotated, image, table) == version


def test_the_operators_table_tells_a_pods_version() -> None:
    assert Code.RESUBMIT_OLDER_STREAMER in codes(plan(streamer_versions=("vllm/vllm-openai:v0.11.*=0.15.9",)))


def test_families() -> None:
    assert families(None) == tuple(Family)
    assert families((0, 13, 4)) == families((0, 14, 2)) == (Family.UNTARGETED,)
    assert families((0, 15, 0)) == families((0, 15, 9)) == (Family.UNBOUNDED,)
    assert families((0, 16, 1)) == (Family.WINDOWED,)
    assert families((0, 17, 0)) == families((1, 0, 0)) == (Family.RING,)
