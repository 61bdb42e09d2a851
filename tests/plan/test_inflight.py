"""The formula against runs of the streamer on a throttled S3: 1 GiB models, and one of 1.6 GiB."""

import pytest

from webhook.plan.inflight import GIB, MIB, Files, Knobs, client_cap, most_in_flight, sustained_in_flight
from webhook.plan.versions import Family

ONE_FILE = Files(GIB, GIB)
FOUR_FILES = Files(GIB, 256 * MIB)
SIXTEEN_FILES = Files(GIB, 64 * MIB)
LARGE = Files(1616 * MIB, 808 * MIB)
ONE_BUFFER = {"ring_buffers": 1}

# Settings, what a rank reads, the most requests the formula gives, and the most that were seen at once.
SEEN = [
    ("defaults", {}, FOUR_FILES, 176, 176),
    ("defaults, 1.6 GiB", {}, LARGE, 176, 176),
    ("one worker", {"concurrency": 1}, FOUR_FILES, 22, 22),
    ("four workers", {"concurrency": 4}, FOUR_FILES, 88, 88),
    ("16 workers: all the chunks there are, cut or not", {"concurrency": 16}, FOUR_FILES, 256, 224),
    ("32 workers", {"concurrency": 32}, FOUR_FILES, 256, 213),
    ("a single buffer", ONE_BUFFER, ONE_FILE, 128, 128),
    ("a single buffer, 1.6 GiB", ONE_BUFFER, LARGE, 176, 176),
    ("one worker, a single buffer", {"concurrency": 1, **ONE_BUFFER}, ONE_FILE, 22, 22),
    ("target 1 Gbit/s", {"target_gbps": 1, **ONE_BUFFER}, FOUR_FILES, 16, 16),
    ("target 5 Gbit/s", {"target_gbps": 5, **ONE_BUFFER}, FOUR_FILES, 88, 88),
    ("target 25 Gbit/s", {"target_gbps": 25, **ONE_BUFFER}, FOUR_FILES, 128, 128),
    ("window 64 MiB", {"window_bytes": 64 * MIB, **ONE_BUFFER}, FOUR_FILES, 64, 64),
    ("limit 512 MiB, target 2", {"memory_limit": 512 * MIB, "target_gbps": 2}, FOUR_FILES, 32, 32),
    ("limit 128 MiB", {"memory_limit": 128 * MIB}, FOUR_FILES, 32, 32),
    ("chunk 16 MiB", {"chunk_bytes": 16 * MIB, **ONE_BUFFER}, FOUR_FILES, 64, 54),
    ("chunk 32 MiB", {"chunk_bytes": 32 * MIB, **ONE_BUFFER}, FOUR_FILES, 96, 96),
    ("chunk 64 MiB", {"chunk_bytes": 64 * MIB, **ONE_BUFFER}, FOUR_FILES, 112, 112),
    ("chunk 64 MiB, one worker", {"chunk_bytes": 64 * MIB, "concurrency": 1, **ONE_BUFFER}, FOUR_FILES, 14, 14),
    ("chunk 256 MiB", {"chunk_bytes": 256 * MIB, **ONE_BUFFER}, ONE_FILE, 100, 100),
    ("chunk 256 MiB, target 1", {"chunk_bytes": 256 * MIB, "target_gbps": 1, **ONE_BUFFER}, ONE_FILE, 40, 40),
    ("chunk 4 GiB", {"chunk_bytes": 4 * GIB, **ONE_BUFFER}, ONE_FILE, 25, 25),
    ("chunk 4 GiB, 1.6 GiB", {"chunk_bytes": 4 * GIB, **ONE_BUFFER}, LARGE, 25, 25),
    ("chunk 4 GiB, files of 64 MiB", {"chunk_bytes": 4 * GIB, **ONE_BUFFER}, SIXTEEN_FILES, 14, 14),
    ("parts of 16 MiB", {"chunk_bytes": 64 * MIB, "part_bytes": 16 * MIB, **ONE_BUFFER}, FOUR_FILES, 48, 48),
    ("parts of 64 MiB", {"chunk_bytes": 64 * MIB, "part_bytes": 64 * MIB, **ONE_BUFFER}, FOUR_FILES, 16, 16),
]


@pytest.mark.parametrize(("knobs", "files", "formula", "seen"), [row[1:] for row in SEEN], ids=[row[0] for row in SEEN])
def test_the_most_requests_in_flight_in_0_17(knobs: dict[str, int], files: Files, formula: int, seen: int) -> None:
    assert most_in_flight(Family.RING, Knobs(**knobs), files) == formula
    assert 0.8 * formula <= seen <= formula


# Average requests in flight over the whole load in 0.17, where start and end of the load weigh little.
SUSTAINED = [
    ("one worker", {"concurrency": 1}, ONE_FILE, 19.3, 22),
    ("target 1 Gbit/s", {"target_gbps": 1}, FOUR_FILES, 15.9, 16),
    ("window 64 MiB", {"window_bytes": 64 * MIB}, FOUR_FILES, 61.7, 64),
    ("chunk 64 MiB, one worker", {"chunk_bytes": 64 * MIB, "concurrency": 1}, FOUR_FILES, 7.9, 8),
    ("chunk 64 MiB", {"chunk_bytes": 64 * MIB}, FOUR_FILES, 60.4, 64),
    ("chunk 4 GiB", {"chunk_bytes": 4 * GIB}, ONE_FILE, 18.2, 18.25),
    ("chunk 4 GiB, files of 64 MiB", {"chunk_bytes": 4 * GIB}, SIXTEEN_FILES, 7.7, 8),
]


@pytest.mark.parametrize(
    ("knobs", "files", "seen", "formula"), [row[1:] for row in SUSTAINED], ids=[row[0] for row in SUSTAINED]
)
def test_the_requests_kept_in_flight_in_0_17(knobs: dict[str, int], files: Files, seen: float, formula: float) -> None:
    assert sustained_in_flight(Family.RING, Knobs(**knobs, **ONE_BUFFER), files) == formula
    assert 0.85 * formula <= seen <= 1.02 * formula


def test_a_target_is_read_from_0_15_on() -> None:
    """As the lab's case of a low target saw it: 17 files of 48 MiB."""
    knobs, files = Knobs(target_gbps=1), Files(17 * 48 * MIB, 48 * MIB)

    assert most_in_flight(Family.UNTARGETED, knobs, files) == 102
    assert most_in_flight(Family.UNBOUNDED, knobs, files) == 80


# The most seen in older versions, four files of 256 MiB.
OLDER = [
    ("0.15.0", Family.UNBOUNDED, 8 * MIB, 128, 128),
    ("0.15.0, chunk 64 MiB", Family.UNBOUNDED, 64 * MIB, 112, 95),
    ("0.15.0, chunk 4 GiB", Family.UNBOUNDED, 4 * GIB, 25, 25),
    ("0.16.1", Family.WINDOWED, 8 * MIB, 176, 141),
    ("0.16.1, chunk 64 MiB", Family.WINDOWED, 64 * MIB, 112, 60),
    ("0.16.1, chunk 4 GiB", Family.WINDOWED, 4 * GIB, 25, 14),
]


@pytest.mark.parametrize(
    ("family", "chunk", "formula", "seen"), [row[1:] for row in OLDER], ids=[row[0] for row in OLDER]
)
def test_the_most_requests_in_flight_in_older_versions(family: Family, chunk: int, formula: int, seen: int) -> None:
    assert most_in_flight(family, Knobs(chunk_bytes=chunk), FOUR_FILES) == formula
    assert seen <= formula


def test_one_worker_at_the_true_scale_of_a_chunk() -> None:
    # 3.8 GiB over connections of 4 MB/s: seconds of the load, untouched and with the published chunk.
    shard = Files(int(3.8 * GIB), int(3.8 * GIB))
    seen = {Family.UNBOUNDED: (43.1, 42.3), Family.WINDOWED: (49.7, 140.2), Family.RING: (48.4, 54.3)}
    for family, walls in seen.items():
        for chunk, wall in zip((8 * MIB, 4 * GIB), walls, strict=True):
            flight = sustained_in_flight(family, Knobs(concurrency=1, chunk_bytes=chunk), shard)
            assert shard.total_bytes / (flight * 4e6) == pytest.approx(wall, rel=0.15)


def test_the_newer_name_for_workers_counts_in_newer_streamers_only() -> None:
    knobs = Knobs(concurrency=1, object_concurrency=4)
    assert most_in_flight(Family.RING, knobs, FOUR_FILES) == 88
    assert most_in_flight(Family.UNBOUNDED, knobs, FOUR_FILES) == 25


@pytest.mark.parametrize("chunk", [8 * MIB, 64 * MIB, 4 * GIB])
@pytest.mark.parametrize("family", list(Family))
def test_a_worker_never_exceeds_its_clients_cap(family: Family, chunk: int) -> None:
    knobs = Knobs(concurrency=3, chunk_bytes=chunk)
    assert most_in_flight(family, knobs, Files(100 * GIB, 100 * GIB)) <= 3 * client_cap(family, knobs)
