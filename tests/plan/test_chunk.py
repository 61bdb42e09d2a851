"""The published chunk size: only for the streamers it was published for, and only over whole chunks."""

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

CASES = [
    ("0.15.9", OLD, ChunkPolicy.AUTO, shards(17, 67), PUBLISHED, Code.CHUNK_PUBLISHED),
    ("0.16.0", (0, 16, 0), ChunkPolicy.AUTO, shards(17, 67), None, Code.CHUNK_NEWER_STREAMER),
    ("0.17.1", NEW, ChunkPolicy.AUTO, shards(17, 67), None, Code.CHUNK_NEWER_STREAMER),
    ("version not known", None, ChunkPolicy.AUTO, shards(17, 67), None, Code.CHUNK_VERSION_UNKNOWN),
    ("published for all", NEW, ChunkPolicy.PUBLISHED, shards(17, 67), PUBLISHED, Code.CHUNK_PUBLISHED),
    ("published, not known", None, ChunkPolicy.PUBLISHED, shards(50, 203), PUBLISHED, Code.CHUNK_PUBLISHED),
    ("off", OLD, ChunkPolicy.OFF, shards(17, 67), None, Code.CHUNK_OFF),
    ("small model", OLD, ChunkPolicy.AUTO, shards(4, 1), None, Code.CHUNK_SMALL_SHARDS),
    ("small shards", OLD, ChunkPolicy.AUTO, shards(40, 67), None, Code.CHUNK_SMALL_SHARDS),
    ("published, small shards", None, ChunkPolicy.PUBLISHED, shards(40, 67), None, Code.CHUNK_SMALL_SHARDS),
    ("fewer files than workers", OLD, ChunkPolicy.AUTO, shards(4, 100), None, Code.CHUNK_SMALL_SHARDS),
]


@pytest.mark.parametrize(
    ("version", "policy", "listing", "value", "code"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_the_chunk_size(
    version: Version | None, policy: ChunkPolicy, listing: Shards, value: str | None, code: Code
) -> None:
    pod = facts(annotations=Annotations(streamer_version=version))
    decided = plan(pod, world(P5, shards=listing), chunk=policy)
    assert streamer_settings(decided).get("CHUNK_BYTESIZE") == value
    assert code in codes(decided)


def test_a_buffer_with_room_for_few_chunks_leaves_the_chunk_size_alone() -> None:
    pod = facts(annotations=Annotations(streamer_version=OLD), container=container(memory_limit_bytes=64 << 30))
    decided = plan(pod)
    assert "CHUNK_BYTESIZE" not in streamer_settings(decided)
    assert Code.CHUNK_SMALL_BUFFER in codes(decided)


def test_the_users_chunk_size_stays() -> None:
    users = env({"RUNAI_STREAMER_CHUNK_BYTESIZE": "8388608"})
    pod = facts(container=container(env=users), annotations=Annotations(streamer_version=OLD, chunk_bytes=1 << 30))
    assert "CHUNK_BYTESIZE" not in streamer_settings(plan(pod))


def test_an_annotated_chunk_size_is_taken_as_it_is() -> None:
    pod = facts(annotations=Annotations(chunk_bytes=2 << 30))
    assert streamer_settings(plan(pod, world(G5_12X), chunk=ChunkPolicy.OFF))["CHUNK_BYTESIZE"] == "2147483648"


def test_other_stores_keep_their_chunk_size() -> None:
    pod = facts(launch=launch(model="gs://models/m"), annotations=Annotations(streamer_version=OLD))
    assert Code.CHUNK_NOT_S3 in codes(plan(pod))


def test_the_reason_cites_what_larger_chunks_cost() -> None:
    (reason,) = [each for each in plan().reasons if each.code is Code.CHUNK_VERSION_UNKNOWN]
    assert "three times the load time" in reason.text
    assert "fastload.dev/streamer-version" in reason.text


VERSIONS = [
    ("annotation first", (0, 17, 0), IMAGE, ("*=0.15.9",), (0, 17, 0)),
    ("first pattern that matches", None, IMAGE, ("other:*=0.14", "vllm/*=0.15.9", "*=0.17.1"), (0, 15, 9)),
    ("a pattern with an equals sign", None, "reg/a=b:1", ("reg/a=b:*=0.16.1",), (0, 16, 1)),
    ("short version", None, IMAGE, ("*=0.17",), (0, 17, 0)),
    ("no match", None, IMAGE, ("other:*=0.14",), None),
    ("no image", None, None, ("*=0.14",), None),
]


@pytest.mark.parametrize(
    ("annotated", "image", "table", "version"), [row[1:] for row in VERSIONS], ids=[row[0] for row in VERSIONS]
)
def test_the_streamers_version(
    annotated: Version | None, image: str | None, table: tuple[str, ...], version: Version | None
) -> None:
    assert streamer_version(annotated, image, table) == version


def test_the_operators_table_makes_the_rule_exact() -> None:
    decided = plan(streamer_versions=("vllm/vllm-openai:v0.11.*=0.15.9",))
    assert streamer_settings(decided)["CHUNK_BYTESIZE"] == PUBLISHED


def test_families() -> None:
    assert families(None) == tuple(Family)
    assert families((0, 13, 4)) == families((0, 15, 9)) == (Family.UNBOUNDED,)
    assert families((0, 16, 1)) == (Family.WINDOWED,)
    assert families((0, 17, 0)) == families((1, 0, 0)) == (Family.RING,)
