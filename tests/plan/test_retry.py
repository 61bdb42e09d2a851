"""Retry settings: the published ones where every request has four times their speed, less or none elsewhere."""

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
    world,
)
from webhook.lookup.facts import World
from webhook.pod.facts import Annotations, Launch, LoaderConfig, PodFacts, UserEnv
from webhook.reasons import Code

NEW = Annotations(streamer_version=(0, 17, 0))
STEP = 65536


def on(gbps: float, *, ranks: int = 1, gpus: int | None = None) -> tuple[PodFacts, World]:
    """A pod of so many ranks, with a node of its own."""
    pod = facts(launch=launch(tensor_parallel_size=ranks), container=container(gpus=gpus or ranks), annotations=NEW)
    return pod, world(instance("g5.test", ranks, gbps), shards=shards(8, 67))


# Link in Gbit/s, ranks, limit in bytes/s. In 0.17 each rank has 176 requests in flight at the default of 8 workers.
LINKS = [
    ("0.25 Gbit/s: a healthy request has less than any useful limit", 0.25, 1, None, Code.SLOW_NETWORK),
    ("0.5 Gbit/s: measured to fail with the published limit", 0.5, 1, STEP, Code.RETRY_LOWERED),
    ("1 Gbit/s", 1, 1, 2 * STEP, Code.RETRY_LOWERED),
    ("5 Gbit/s", 5, 1, 13 * STEP, Code.RETRY_LOWERED),
    ("6 Gbit/s", 6, 1, 1 << 20, Code.RETRY_PUBLISHED),
    ("8 ranks on 25 Gbit/s", 25, 8, 8 * STEP, Code.RETRY_LOWERED),
    ("8 ranks on 47 Gbit/s", 47, 8, 15 * STEP, Code.RETRY_LOWERED),
    ("8 ranks on 50 Gbit/s", 50, 8, 1 << 20, Code.RETRY_PUBLISHED),
    ("8 ranks on 100 Gbit/s", 100, 8, 1 << 20, Code.RETRY_PUBLISHED),
]


@pytest.mark.parametrize(("gbps", "ranks", "limit", "code"), [row[1:] for row in LINKS], ids=[row[0] for row in LINKS])
def test_the_speed_limit_follows_the_share_of_a_request(gbps: float, ranks: int, limit: int | None, code: Code) -> None:
    decided = plan(*on(gbps, ranks=ranks))
    settings = streamer_settings(decided)
    assert settings.get("S3_LOW_SPEED_LIMIT") == (str(limit) if limit else None)
    assert settings.get("S3_REQUEST_TIMEOUT_MS") == ("3000" if limit else None)
    assert code in codes(decided)


def test_a_small_model_on_a_slow_link_has_few_requests() -> None:
    pod, around = on(1)
    small = world(*around.candidates.types, shards=shards(1, 1 / 16))
    assert streamer_settings(plan(pod, small))["S3_LOW_SPEED_LIMIT"] == "1048576"


def test_an_unknown_version_counts_as_the_one_with_most_requests() -> None:
    pod, around = on(6)
    unknown = plan(facts(launch=pod.launch, container=pod.container), around)
    assert streamer_settings(unknown)["S3_LOW_SPEED_LIMIT"] == str(14 * STEP)


def test_a_pod_has_the_share_of_the_network_that_it_has_of_the_gpus() -> None:
    pod = facts(launch=launch(tensor_parallel_size=1), container=container(gpus=1), annotations=NEW)
    alone = plan(pod, world(instance("g5.4xlarge", 1, 10), shards=shards(8, 67)))
    shared = plan(pod, world(instance("g5.24xlarge", 4, 10), shards=shards(8, 67)))
    assert streamer_settings(alone)["S3_LOW_SPEED_LIMIT"] == "1048576"
    assert streamer_settings(shared)["S3_LOW_SPEED_LIMIT"] == str(6 * STEP)


def test_the_worst_candidate_counts() -> None:
    pod = facts(launch=launch(tensor_parallel_size=1), container=container(gpus=1))
    decided = plan(pod, world(P5, G5_12X, G5_XL))
    (reason,) = [each for each in decided.reasons if each.code is Code.WORST_INSTANCE_TYPE]
    assert "g5.xlarge" in reason.text
    assert int(streamer_settings(decided)["S3_LOW_SPEED_LIMIT"]) < 1 << 20


def test_one_network_card_can_carry_the_limit() -> None:
    # 64 workers on 8 ranks share 3200 Gbit/s in all, but only 100 Gbit/s where the pod has one network interface.
    pod = facts(launch=launch(tensor_parallel_size=8), container=container(gpus=8))
    decided = plan(pod, world(P5, shards=shards(64, 300)))
    assert streamer_settings(decided)["CONCURRENCY"] == "64"
    limit = int(streamer_settings(decided)["S3_LOW_SPEED_LIMIT"])
    assert 8 * 64 * 25 * limit <= 100e9 / 8


WORKERS = [
    ("environment", env({"RUNAI_STREAMER_CONCURRENCY": "32"}), LoaderConfig()),
    ("loader JSON", env(), LoaderConfig(concurrency=32)),
    ("newer name", env({"RUNAI_STREAMER_OBJ_CONCURRENCY": "32"}), LoaderConfig()),
]


@pytest.mark.parametrize(("users", "loader"), [row[1:] for row in WORKERS], ids=[row[0] for row in WORKERS])
def test_the_users_workers_count(users: UserEnv, loader: LoaderConfig) -> None:
    line = launch(tensor_parallel_size=1, loader=loader)
    pod = facts(launch=line, container=container(gpus=1, env=users), annotations=NEW)
    decided = plan(pod, world(instance("g5.test", 1, 10), shards=shards(8, 67)))
    # 10 Gbit/s over 32 x 22 requests, a quarter of it.
    assert streamer_settings(decided)["S3_LOW_SPEED_LIMIT"] == str(6 * STEP)


AWS = {"AWS_ENDPOINT_URL": "https://s3.us-east-1.amazonaws.com"}
WORST_CASES = [
    ("value not yet known", env({"RUNAI_STREAMER_CONCURRENCY": None}), LoaderConfig()),
    ("value that is no number", env({"RUNAI_STREAMER_CONCURRENCY": "many"}), LoaderConfig()),
    ("unreadable loader JSON", env(), LoaderConfig(readable=False)),
    ("a ConfigMap may set it", env(AWS, ""), LoaderConfig()),
    ("a ConfigMap with a fitting prefix may set it", env(AWS, "RUNAI_"), LoaderConfig()),
    ("a sourced file may set it", UserEnv(AWS, forgotten=True), LoaderConfig()),
]


@pytest.mark.parametrize(("users", "loader"), [row[1:] for row in WORST_CASES], ids=[row[0] for row in WORST_CASES])
def test_workers_that_cannot_be_told_count_at_their_worst(users: UserEnv, loader: LoaderConfig) -> None:
    line = launch(tensor_parallel_size=1, loader=loader)
    pod = facts(launch=line, container=container(gpus=1, env=users), annotations=NEW)
    decided = plan(pod, world(instance("g5.test", 1, 10), shards=shards(8, 67)))
    assert streamer_settings(decided)["S3_LOW_SPEED_LIMIT"] == str(3 * STEP)


def test_a_config_map_with_another_prefix_does_not_count() -> None:
    pod = facts(container=container(env=env({}, "APP_")))
    assert streamer_settings(plan(pod)) == streamer_settings(plan())


PAIR = ("RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS", "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT")


@pytest.mark.parametrize("name", PAIR)
def test_one_of_the_pair_set_by_the_user_leaves_the_pair_alone(name: str) -> None:
    settings = streamer_settings(plan(facts(container=container(env=env({name: "5"})))))
    assert not {"S3_REQUEST_TIMEOUT_MS", "S3_LOW_SPEED_LIMIT"} & settings.keys()
    assert settings["S3_TIMEOUT"] == "60"


def test_the_users_resubmission_window_stays() -> None:
    settings = streamer_settings(plan(facts(container=container(env=env({"RUNAI_STREAMER_S3_TIMEOUT": "5"})))))
    assert "S3_TIMEOUT" not in settings
    assert settings["S3_LOW_SPEED_LIMIT"] == "1048576"


ENDPOINTS = [
    ("MinIO", "AWS_ENDPOINT_URL", "https://s3.corp.example:9021", True),
    ("a look-alike", "AWS_ENDPOINT_URL", "https://s3.amazonaws.com.example.org/", True),
    ("not known before the pod runs", "AWS_ENDPOINT_URL", None, True),
    ("S3's own name", "AWS_ENDPOINT_URL_S3", "http://minio:9000", True),
    ("the streamer's name", "RUNAI_STREAMER_OVERRIDE_ENDPOINT_URL", "http://minio:9000", True),
    ("a region of AWS's", "AWS_ENDPOINT_URL", "https://s3.eu-west-1.amazonaws.com", False),
    ("a VPC endpoint", "AWS_ENDPOINT_URL", "https://bucket.vpce-1.s3.us-east-1.vpce.amazonaws.com/", False),
    ("dual stack", "AWS_ENDPOINT_URL", "https://s3.dualstack.us-east-1.amazonaws.com:443", False),
    ("China", "AWS_ENDPOINT_URL", "https://s3.cn-north-1.amazonaws.com.cn", False),
    ("empty", "AWS_ENDPOINT_URL", "", False),
]


@pytest.mark.parametrize(("name", "url", "private"), [row[1:] for row in ENDPOINTS], ids=[row[0] for row in ENDPOINTS])
def test_a_private_endpoint_says_nothing_of_its_speed(name: str, url: str | None, *, private: bool) -> None:
    decided = plan(facts(container=container(env=env({name: url}))))
    assert ("S3_LOW_SPEED_LIMIT" not in streamer_settings(decided)) is private
    assert (Code.PRIVATE_ENDPOINT in codes(decided)) is private


HIDING = [
    ("a Secret of everything", env({}, ""), True),
    ("a Secret of AWS names", env({}, "AWS_"), True),
    ("a ConfigMap of the streamer's names", env({}, "RUNAI_STREAMER_"), True),
    ("a Secret of other names", env({}, "HF_"), False),
    ("AWS named beside a Secret", env({"AWS_ENDPOINT_URL": "https://s3.eu-west-1.amazonaws.com"}, ""), False),
    ("no endpoint, named beside a Secret", env({"AWS_ENDPOINT_URL": ""}, ""), False),
    ("a sourced file", UserEnv({}, forgotten=True), True),
    (
        "AWS named after a sourced file",
        UserEnv({"AWS_ENDPOINT_URL": "https://s3.amazonaws.com"}, forgotten=True),
        False,
    ),
    ("a configuration file", env({"AWS_CONFIG_FILE": "/aws/config"}), True),
    ("a profile not yet known", env({"AWS_PROFILE": None}), True),
    ("a proxy", env({"HTTPS_PROXY": "http://proxy:3128"}), True),
    ("a proxy in small letters", env({"https_proxy": "http://proxy:3128"}), True),
    ("a proxy before AWS", env({"ALL_PROXY": "socks5://x", "AWS_ENDPOINT_URL": "https://s3.amazonaws.com"}), True),
    ("no proxy", env({"HTTPS_PROXY": "", "NO_PROXY": "*"}), False),
]


@pytest.mark.parametrize(("users", "hidden"), [row[1:] for row in HIDING], ids=[row[0] for row in HIDING])
def test_an_endpoint_that_may_be_hidden_says_nothing_of_its_speed(users: UserEnv, *, hidden: bool) -> None:
    decided = plan(facts(container=container(env=users)))
    assert ("S3_LOW_SPEED_LIMIT" not in streamer_settings(decided)) is hidden
    assert (Code.ENDPOINT_HIDDEN in codes(decided)) is hidden
    assert streamer_settings(decided)["S3_TIMEOUT"] == "60"


def test_the_hiding_places_are_named() -> None:
    decided = plan(facts(container=container(env=env({}, "AWS_", "HF_"))))
    (reason,) = [each for each in decided.reasons if each.code is Code.ENDPOINT_HIDDEN]
    assert "ConfigMap hidden may lead" in reason.text


SHARES = [
    ("a whole GPU", 1, "nvidia.com/gpu", False),
    ("a Neuron device", 1, "aws.amazon.com/neuron", False),
    ("a shared GPU", 1, "nvidia.com/gpu.shared", True),
    ("a MIG slice", 1, "nvidia.com/mig-1g.10gb", True),
    ("a Neuron core", 2, "aws.amazon.com/neuroncore", True),
    ("no GPU at all", 0, None, True),
    ("a claim", None, None, False),
]


@pytest.mark.parametrize(("gpus", "resource", "unknown"), [row[1:] for row in SHARES], ids=[row[0] for row in SHARES])
def test_a_part_of_a_device_says_nothing_of_the_share(gpus: int | None, resource: str | None, *, unknown: bool) -> None:
    decided = plan(facts(container=container(gpus=gpus, gpu_resource=resource)), world(G5_XL, shards=shards(4, 8)))
    assert ("S3_LOW_SPEED_LIMIT" not in streamer_settings(decided)) is unknown
    assert (Code.NETWORK_SHARED in codes(decided)) is unknown


def test_a_small_accelerator_share_is_never_divided_by_none() -> None:
    fraction = instance("g6f.large", 0, 1.5, "L4")
    assert "S3_LOW_SPEED_LIMIT" in streamer_settings(plan(facts(), world(fraction, shards=shards(2, 1))))


@pytest.mark.parametrize("line", [launch(), launch(tensor_parallel_size=4)], ids=["TP 2", "TP 4"])
def test_dra_counts_ranks_as_gpus(line: Launch) -> None:
    pod = facts(launch=line, container=container(gpus=None))
    assert streamer_settings(plan(pod, world(P5)))["S3_LOW_SPEED_LIMIT"] == "1048576"
