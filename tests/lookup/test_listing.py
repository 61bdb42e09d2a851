"""What is to be listed for a pod, by which way, and what a listing amounts to."""

import tracemalloc
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lookup.make import container, facts, launch
from webhook.lookup.facts import Shards, Unknown
from webhook.lookup.listing import Listing, Route, declared, wanted
from webhook.lookup.settings import LookupSettings
from webhook.lookup.shards import ShardCount
from webhook.lookup.uri import Location
from webhook.pod.facts import Annotations, PodFacts
from webhook.reasons import Code, because

DEFAULT = LookupSettings()
HERE = Listing(location=Location("weights", "llm/"))


def code_of(found: object) -> Code:
    assert isinstance(found, Unknown)
    return found.reason.code


def with_env(**env: str | None) -> PodFacts:
    return facts(engine=container(env))


def route_of(pod: PodFacts, settings: LookupSettings = DEFAULT) -> Route:
    found = wanted(pod, settings)
    assert isinstance(found, Listing), found
    return found.route


def test_a_model_in_s3_is_to_be_listed() -> None:
    assert wanted(facts(), DEFAULT) == HERE


@pytest.mark.parametrize(
    "pod",
    [
        facts(launch("org/model")),
        facts(launch("/mnt/models/llm")),
        facts(launch(None)),
        facts(skips=(because(Code.NO_ENGINE),)),
    ],
    ids=["hub", "folder", "unknown", "skipped"],
)
def test_nothing_is_to_be_listed(pod: PodFacts) -> None:
    assert wanted(pod, DEFAULT) is None


@pytest.mark.parametrize("uri", ["gs://weights/llm", "az://weights/llm", "GS://weights/llm"])
def test_a_store_that_is_not_s3_is_said_to_be(uri: str) -> None:
    assert code_of(wanted(facts(launch(uri)), DEFAULT)) is Code.STORE_NOT_S3


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("s3:///llm", "it names no bucket"),
        ("s3://-bad-/llm", "S3 allows no bucket of that name"),
        (f"s3://weights/{'x' * 1_024}", "S3 allows no key of more than 1024 bytes"),
    ],
    ids=["no bucket", "bad bucket", "long key"],
)
def test_a_uri_of_what_cannot_exist(uri: str, problem: str) -> None:
    found = wanted(facts(launch(uri)), DEFAULT)
    assert isinstance(found, Unknown)
    assert found.reason.code is Code.BAD_MODEL_URI
    assert problem in found.reason.text


def test_the_model_annotation_wins() -> None:
    pod = facts(launch("org/model"), annotations=Annotations(model="s3://weights/llm"))
    assert wanted(pod, DEFAULT) == HERE


@pytest.mark.parametrize("uri", ["s3://weights/llm", "gs://weights/llm"])
def test_annotations_stand_for_the_listing(uri: str) -> None:
    pod = facts(launch(uri), annotations=Annotations(shards=17, model_bytes=100))
    assert wanted(pod, DEFAULT) == Shards(count=17, total_bytes=100, largest_bytes=6, declared=True)


def test_one_of_the_two_annotations_is_not_enough() -> None:
    assert wanted(facts(annotations=Annotations(shards=17)), DEFAULT) == HERE


def test_declared_shards_are_of_one_size() -> None:
    assert declared(17, 67 * 2**30).largest_bytes == -(-67 * 2**30 // 17)


@pytest.mark.parametrize(
    ("patterns", "allowed"),
    [
        (("*",), True),
        (("weights",), True),
        (("w*", "x"), True),
        (("other",), False),
        ((), False),
        (("WEIGHTS",), False),
    ],
)
def test_only_buckets_on_the_list(patterns: tuple[str, ...], allowed: bool) -> None:  # noqa: FBT001 - a column
    found = wanted(facts(), LookupSettings(allowed_buckets=patterns))
    assert isinstance(found, Listing) is allowed
    if not allowed:
        assert code_of(found) is Code.BUCKET_NOT_ALLOWED


class TestRoutes:
    """The way to the store."""

    def test_boto3_decides_by_default(self) -> None:
        assert route_of(facts()) == Route()

    def test_the_operators_endpoint(self) -> None:
        assert route_of(facts(), LookupSettings(s3_endpoint="http://moto:5000")) == Route(endpoint="http://moto:5000")

    @pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "RUNAI_STREAMER_S3_ENDPOINT"])
    def test_a_pods_endpoint_is_not_followed_unless_it_is_listed(self, name: str) -> None:
        pod = with_env(**{name: "https://minio.corp:9021/"})
        found = wanted(pod, DEFAULT)
        assert code_of(found) is Code.ENDPOINT_NOT_ALLOWED
        allowed = LookupSettings(allowed_endpoints=("https://MINIO.corp:9021",))
        assert route_of(pod, allowed) == Route(endpoint="https://minio.corp:9021")

    @pytest.mark.parametrize(
        "url",
        [
            "https://minio.corp",
            "http://minio.corp:9021",
            "https://minio.corp.evil:9021",
            "https://evil@minio.corp:9021",
            "not a url",
        ],
    )
    def test_scheme_host_and_port_must_be_the_same(self, url: str) -> None:
        allowed = LookupSettings(allowed_endpoints=("https://minio.corp:9021",))
        assert code_of(wanted(with_env(AWS_ENDPOINT_URL=url), allowed)) is Code.ENDPOINT_NOT_ALLOWED

    def test_a_refusal_shows_no_secret(self) -> None:
        found = wanted(with_env(AWS_ENDPOINT_URL="https://user:hunter2@minio"), DEFAULT)
        assert isinstance(found, Unknown)
        assert "hunter2" not in found.reason.text

    def test_the_operators_own_endpoint_needs_no_listing(self) -> None:
        settings = LookupSettings(s3_endpoint="http://moto:5000/")
        assert route_of(with_env(AWS_ENDPOINT_URL="http://moto:5000"), settings) == Route(endpoint="http://moto:5000")

    @pytest.mark.parametrize(
        "url", ["https://s3.us-west-2.amazonaws.com", "https://s3.dualstack.eu-west-1.amazonaws.com"]
    )
    def test_an_endpoint_of_awss_own_leads_where_none_does(self, url: str) -> None:
        assert route_of(with_env(AWS_ENDPOINT_URL=url)) == Route()

    def test_an_endpoint_from_outside_the_manifest_is_not_guessed(self) -> None:
        assert code_of(wanted(with_env(AWS_ENDPOINT_URL=None), DEFAULT)) is Code.ENDPOINT_UNKNOWN

    def test_an_empty_endpoint_is_none(self) -> None:
        assert route_of(with_env(AWS_ENDPOINT_URL="")) == Route()

    def test_the_name_for_s3_wins_over_the_common_one(self) -> None:
        pod = with_env(AWS_ENDPOINT_URL="http://other", AWS_ENDPOINT_URL_S3="http://minio")
        assert route_of(pod, LookupSettings(allowed_endpoints=("http://minio",))).endpoint == "http://minio"

    @pytest.mark.parametrize("name", ["AWS_REGION", "AWS_DEFAULT_REGION"])
    def test_the_pods_region_goes_with_its_endpoint_only(self, name: str) -> None:
        allowed = LookupSettings(allowed_endpoints=("http://minio",))
        assert route_of(with_env(**{name: "eu-1", "AWS_ENDPOINT_URL": "http://minio"}), allowed).region == "eu-1"
        assert route_of(with_env(**{name: "eu-1"})).region is None

    def test_a_region_longer_than_any_is_none(self) -> None:
        allowed = LookupSettings(allowed_endpoints=("http://minio",))
        assert route_of(with_env(AWS_REGION="x" * 64, AWS_ENDPOINT_URL="http://minio"), allowed).region is None

    @pytest.mark.parametrize(("value", "path"), [("0", True), ("false", True), ("1", None), ("", None)])
    def test_path_style(self, value: str, path: bool | None) -> None:  # noqa: FBT001 - a column
        assert route_of(with_env(RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING=value)).path_style is path

    @pytest.mark.parametrize(("value", "unsigned"), [("1", True), ("true", True), ("0", False), ("", False)])
    def test_unsigned(self, value: str, unsigned: bool) -> None:  # noqa: FBT001 - a column
        assert route_of(with_env(RUNAI_STREAMER_S3_UNSIGNED=value)).unsigned is unsigned


def count_shards(sizes: Mapping[str, int], listing: Listing, region: str | None) -> Shards | Unknown:
    count = ShardCount(listing)
    for name, size in sizes.items():
        count.add(name, size)
    return count.result(region)


class TestCounting:
    """What a listing amounts to."""

    def test_shards(self) -> None:
        sizes = {"model-1.safetensors": 3, "model-2.safetensors": 5, "config.json": 100, "MODEL.SAFETENSORS": 9}
        assert count_shards(sizes, HERE, "us-west-2") == Shards(
            count=2, total_bytes=8, largest_bytes=5, bucket_region="us-west-2"
        )

    def test_a_consolidated_file_beside_shards_is_read_as_well(self) -> None:
        found = count_shards(
            {"m-1.safetensors": 3, "consolidated.safetensors": 5, "consolidated.00.safetensors": 1}, HERE, None
        )
        assert found == Shards(count=3, total_bytes=9, largest_bytes=5, consolidated_bytes=6)

    def test_a_consolidated_file_alone_is_the_model(self) -> None:
        found = count_shards({"consolidated.safetensors": 5}, HERE, None)
        assert found == Shards(count=1, total_bytes=5, largest_bytes=5)

    @pytest.mark.parametrize("sizes", [{}, {"config.json": 1}, {"model.safetensors.index.json": 1}])
    def test_no_shards(self, sizes: dict[str, int]) -> None:
        found = count_shards(sizes, HERE, None)
        assert code_of(found) is Code.NO_SAFETENSORS

    def test_ranks_of_the_sharded_format(self) -> None:
        listing = wanted(facts(launch(load_format="runai_streamer_sharded")), DEFAULT)
        assert isinstance(listing, Listing)
        sizes = {
            "model-rank-0-part-0.safetensors": 10,
            "model-rank-0-part-1.safetensors": 1,
            "model-rank-1-part-0.safetensors": 9,
            "model-rank-10-part-0.safetensors": 12,
            "other.safetensors": 100,
        }
        assert count_shards(sizes, listing, None) == Shards(
            count=4, total_bytes=32, largest_bytes=12, ranks=3, rank_count=2, rank_bytes=12
        )

    def test_a_pattern_of_the_users(self) -> None:
        pod = facts(launch(load_format="runai_streamer_sharded", pattern="m-{rank}-p-{part}.safetensors"))
        listing = wanted(pod, DEFAULT)
        assert isinstance(listing, Listing)
        found = count_shards({"m-0-p-0.safetensors": 2, "model-rank-1-part-0.safetensors": 3}, listing, None)
        assert found == Shards(count=1, total_bytes=2, largest_bytes=2, ranks=1, rank_count=1, rank_bytes=2)

    def test_a_pattern_longer_than_any_name_is_not_tried(self) -> None:
        pattern = "{rank}-{part}".ljust(1_024, "x")
        assert isinstance(
            wanted(facts(launch(load_format="runai_streamer_sharded", pattern=pattern)), DEFAULT), Listing
        )
        found = wanted(facts(launch(load_format="runai_streamer_sharded", pattern=f"{pattern}x")), DEFAULT)
        assert isinstance(found, Unknown)
        assert found.reason.code is Code.NO_SAFETENSORS
        assert len(found.reason.text) < 1_000

    def test_a_pattern_means_nothing_in_another_format(self) -> None:
        assert wanted(facts(launch(pattern="x-{rank}-{part}")), DEFAULT) == HERE

    @pytest.mark.parametrize("pattern", ["model.safetensors", "{rank}", "{part}", "{rank}{rank}{part}", "{part}" * 50])
    def test_a_pattern_that_names_no_rank_and_part_matches_nothing(self, pattern: str) -> None:
        listing = Listing(location=HERE.location, rank_pattern=pattern)
        assert code_of(count_shards({"model.safetensors": 1, "0": 1}, listing, None)) is Code.NO_SAFETENSORS


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        (None, "model-{number:05}-of-100000.safetensors"),
        ("m-{rank}-{part}", "m-7-{number:05}"),
        (None, "{number}.json"),
    ],
)
def test_many_files_take_no_more_memory_than_few(pattern: str | None, name: str) -> None:
    count = ShardCount(Listing(location=HERE.location, rank_pattern=pattern))
    count.add(name.format(number=0), 1)
    tracemalloc.start()
    try:
        for number in range(1, 20_000):
            count.add(name.format(number=number), 1)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 10_000


@given(pattern=st.text(max_size=40), names=st.lists(st.text(max_size=30), max_size=4))
def test_any_pattern_has_an_answer(pattern: str, names: list[str]) -> None:
    listing = Listing(location=HERE.location, rank_pattern=pattern)
    found = count_shards(dict.fromkeys(names, 1), listing, None)
    assert isinstance(found, Shards | Unknown)


@given(uri=st.text(max_size=40).map(lambda text: f"s3://{text}"))
def test_any_uri_has_an_answer(uri: str) -> None:
    found = wanted(facts(launch(uri)), DEFAULT)
    if isinstance(found, Listing):
        assert found.location.bucket in uri
        assert not found.location.prefix.endswith("//")
