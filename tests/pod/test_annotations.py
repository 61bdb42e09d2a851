"""Annotations are parsed, and what does not parse disables what it would have steered."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.pod.annotations import parse_annotations
from webhook.pod.facts import Annotations, CacheChoice, CacheKind, Engine, Feature

ALL = frozenset(Feature)
STREAMER = frozenset({Feature.STREAMER})
RETRY = frozenset({Feature.RETRY})
READS = frozenset({Feature.STREAMER, Feature.RETRY})
CACHE = frozenset({Feature.CACHE})


def parse(**values: str | None) -> Annotations:
    return parse_annotations(
        {f"fastload.dev/{name.replace('_', '-')}": value for name, value in values.items()}, "fastload.dev"
    )


GOOD = [
    ("inject", "true", "inject", True),
    ("inject", "false", "inject", False),
    ("model", "s3://bucket/prefix", "model", "s3://bucket/prefix"),
    ("model", "S3://Bucket", "model", "S3://Bucket"),
    ("engine", "sglang", "engine", Engine.SGLANG),
    ("container", "kserve-container", "container", "kserve-container"),
    ("instance-type", "p5.48xlarge", "instance_types", ("p5.48xlarge",)),
    ("instance-type", "p5.48xlarge, p5en.48xlarge,p5.48xlarge", "instance_types", ("p5.48xlarge", "p5en.48xlarge")),
    ("instance-type", "u-6tb1.112xlarge", "instance_types", ("u-6tb1.112xlarge",)),
    ("tensor-parallel-size", "8", "tensor_parallel_size", 8),
    ("streamer-version", "0.15.9", "streamer_version", (0, 15, 9)),
    ("streamer-version", "v0.17", "streamer_version", (0, 17, 0)),
    ("features", "streamer,retry", "features", READS),
    ("features", "", "features", frozenset()),
    ("concurrency", "17", "concurrency", 17),
    ("chunk-size", "4Gi", "chunk_bytes", 4 * 1024**3),
    ("memory-limit", "16G", "memory_limit_bytes", 16 * 10**9),
    ("cache", "hostpath", "cache", CacheChoice(CacheKind.HOST_PATH)),
    ("cache", "off", "cache", CacheChoice(CacheKind.OFF)),
    ("cache", "pvc:my-claim", "cache", CacheChoice(CacheKind.PVC, "my-claim")),
    ("cache-path", "/mnt/k8s-disks/0/fastload/x", "cache_path", "/mnt/k8s-disks/0/fastload/x"),
    ("concurrency", "1024", "concurrency", 1024),
    ("instance-type", "P5.48XLarge", "instance_types", ("p5.48xlarge",)),
    ("apply-advice", "distributed, startup-plan", "apply_advice", frozenset({"distributed", "startup-plan"})),
    ("status", "injected", "status_present", True),
]


@pytest.mark.parametrize(("name", "text", "field", "value"), GOOD, ids=[f"{name}={text}" for name, text, *_ in GOOD])
def test_a_good_value(name: str, text: str, field: str, value: object) -> None:
    annotations = parse(**{name: text})
    assert getattr(annotations, field) == value
    assert annotations == msgspec.structs.replace(Annotations(), **{field: value})


BAD = [
    *(("inject", text, ALL) for text in ("True", "yes", "1", "")),
    *(("model", text, ALL) for text in ("bucket/prefix", "s3://", "https://x/y", "s3://b/with blank")),
    *(("engine", text, ALL) for text in ("none", "trtllm", "VLLM")),
    *(("container", text, ALL) for text in ("", "Upper", "a/b", "-x")),
    *(("instance-type", text, ALL) for text in ("", "p5", "p5.48xlarge,", "p5.48xlarge;x")),
    *(("tensor-parallel-size", text, ALL) for text in ("0", "-1", "two", "1.5", "", "\u0664", "9" * 30)),
    *(("streamer-version", text, RETRY) for text in ("latest", "0", "0.15.x", "")),
    *(("features", text, ALL) for text in ("all", "streamer;retry")),
    *(("concurrency", text, STREAMER) for text in ("0", "1e3", "-8", "17Gi", "1025")),
    *(("chunk-size", text, STREAMER) for text in ("4GB", "1Mi", "0", "-1", "")),
    *(("memory-limit", text, STREAMER) for text in ("-1", "0", "lots")),
    *(("cache", text, CACHE) for text in ("on", "pvc", "pvc:", "pvc:Bad Name", "hostpath:/x", "off:")),
    *(("shards", text, READS) for text in ("0", "many")),
    *(("model-size", text, READS) for text in ("0", "67 gigabytes")),
    *(("apply-advice", text, frozenset[Feature]()) for text in ("Distributed Streaming!", "banana")),
    ("modle", "s3://b/m", frozenset()),
]


@pytest.mark.parametrize(("name", "text", "disabled"), BAD, ids=[f"{name}={text}" for name, text, _ in BAD])
def test_a_bad_value(name: str, text: str, disabled: frozenset[Feature]) -> None:
    annotations = parse(**{name: text})
    (problem,) = annotations.problems
    assert problem.code == "bad-annotation"
    assert f"fastload.dev/{name}" in problem.text
    assert annotations == msgspec.structs.replace(Annotations(), problems=annotations.problems, disabled=disabled)


def test_a_model_is_declared_by_two_annotations_together() -> None:
    both = parse(shards="17", model_size="67Gi")
    assert both == msgspec.structs.replace(Annotations(), shards=17, model_bytes=67 * 1024**3)


@pytest.mark.parametrize(("one", "other"), [("shards", "model-size"), ("model-size", "shards")])
def test_one_of_the_two_is_told_that_it_takes_the_other(one: str, other: str) -> None:
    annotations = parse(**{one: "17"})
    (problem,) = annotations.problems
    assert problem.code == "bad-annotation"
    assert f"fastload.dev/{one} is not valid" in problem.text
    assert f"together with fastload.dev/{other}" in problem.text
    assert annotations.disabled == frozenset()


@pytest.mark.parametrize(
    "path",
    [
        *("relative", "/", "", "/a/", "//a", "/a//b", "/a/../b", "/..", "/a/./b", "/a/ b", "/a\\..\\b", "C:\\x"),
        *("/a/b ", "/a/b\n", "/a/\x00", "/a/b\u202e", "/" + "a" * 2000),
    ],
)
def test_a_path_that_may_lead_elsewhere_is_refused(path: str) -> None:
    annotations = parse_annotations({"fastload.dev/cache-path": path}, "fastload.dev")
    if path.strip() == path:
        assert (annotations.cache_path, annotations.disabled) == (None, CACHE)
    else:
        assert annotations.cache_path in (None, path.strip())


def test_null_counts_as_absent() -> None:
    assert parse(model=None, cache=None) == Annotations()
    assert parse_annotations(None, "fastload.dev") == Annotations()


def test_other_prefixes_are_other_peoples() -> None:
    others = {"example.com/inject": "nonsense", "fastload.devx/inject": "nonsense", "inject": "nonsense"}
    assert parse_annotations(others, "fastload.dev") == Annotations()


def test_the_prefix_is_a_setting() -> None:
    annotations = parse_annotations({"load.acme.example/concurrency": "9"}, "load.acme.example")
    assert annotations == msgspec.structs.replace(Annotations(), prefix="load.acme.example", concurrency=9)


def test_one_bad_value_does_not_spoil_the_others() -> None:
    annotations = parse(chunk_size="huge", shards="17", cache="off")
    assert (annotations.shards, annotations.cache, annotations.disabled) == (17, CacheChoice(CacheKind.OFF), STREAMER)


NAMES = sorted({name for name, *_ in GOOD})


@given(st.dictionaries(st.sampled_from(NAMES), st.text() | st.none() | st.sampled_from([text for _, text, *_ in GOOD])))
def test_no_values_make_the_parser_fail(values: dict[str, str | None]) -> None:
    annotations = parse(**values)
    assert len(annotations.problems) <= len(values)
    assert annotations.cache_path is None or ".." not in annotations.cache_path.split("/")
