"""What holds for every pod in every world."""

import re
from collections.abc import Mapping
from math import inf

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.plan.make import instance
from webhook.lookup.facts import (
    Candidates,
    InstanceType,
    Namespace,
    PodSecurity,
    Shards,
    Source,
    Unknown,
    World,
)
from webhook.plan.decide import decide
from webhook.plan.inflight import GIB, MIB, Files, Knobs, most_in_flight, sustained_in_flight
from webhook.plan.reading import reading_of
from webhook.plan.settings import ChunkPolicy, PlanSettings
from webhook.plan.subject import Subject
from webhook.plan.types import Plan, Status, Verdict
from webhook.plan.untouched import untouched_knobs
from webhook.plan.versions import Family, Version, families
from webhook.pod.facts import (
    Annotations,
    CacheChoice,
    CacheKind,
    Engine,
    EngineContainer,
    EnvFromRef,
    Feature,
    Launch,
    LoaderConfig,
    Mount,
    Placement,
    PodFacts,
    User,
    UserEnv,
    VolumeKind,
)
from webhook.pod.view import Pod
from webhook.reasons import Code, because

UNKNOWN = Unknown(because(Code.LOOKUP_SLOW, subject="it"))
OURS = [
    "RUNAI_STREAMER_CHUNK_BYTESIZE",
    "RUNAI_STREAMER_CONCURRENCY",
    "RUNAI_STREAMER_OBJ_CONCURRENCY",
    "RUNAI_STREAMER_MEMORY_LIMIT",
    "RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS",
    "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT",
    "RUNAI_STREAMER_S3_TIMEOUT",
    "RUNAI_STREAMER_S3_TARGET_GBPS",
    "RUNAI_STREAMER_S3_MAX_INFLIGHT_MIB",
    "RUNAI_STREAMER_DIST",
    "VLLM_CACHE_ROOT",
    "VLLM_ASSETS_CACHE",
    "TRITON_CACHE_DIR",
    "SGLANG_CACHE_DIR",
    "HOME",
    "XDG_CACHE_HOME",
    "AWS_ENDPOINT_URL",
    "VLLM_HOST_IP",
]
VERSIONS: list[Version | None] = [None, (0, 13, 4), (0, 15, 9), (0, 16, 0), (0, 16, 1), (0, 17, 0), (0, 17, 1)]
MOUNTS = ["/tmp", "/dev/shm", "/root/.cache", "/var/cache", "/data", "/home/x", "/var/cache/fastload/a", "/"]

numbers = st.sampled_from(["1", "4", "16", "64", "512", "4294967296", " 4", "0", "-1", "", "abc", "1e9", "²", "8MiB"])
values = st.one_of(st.none(), numbers, st.text(max_size=5))
environments = st.builds(
    UserEnv,
    st.dictionaries(st.sampled_from(OURS), values, max_size=4),
    st.sampled_from([(), (EnvFromRef("Secret", "s"),), (EnvFromRef("ConfigMap", "c", "APP_"),)]),
)
maybe_size = st.one_of(st.none(), st.integers(1, 12))
loaders = st.builds(
    LoaderConfig,
    distributed=st.sampled_from([None, True, False]),
    concurrency=st.one_of(st.none(), st.integers(1, 128)),
    memory_limit=st.one_of(st.none(), st.integers(-1, 80 * GIB)),
    readable=st.booleans(),
)
launches = st.builds(
    Launch,
    engine=st.sampled_from([Engine.VLLM, Engine.SGLANG]),
    model=st.sampled_from(["s3://b/m", "S3://b/m", "gs://b/m", "az://b/m", "org/m", "/data", "", None]),
    load_format=st.sampled_from(["auto", "runai_streamer", "runai_streamer_sharded", "safetensors", None]),
    tensor_parallel_size=maybe_size,
    pipeline_parallel_size=maybe_size,
    data_parallel_size=maybe_size,
    data_parallel_size_local=maybe_size,
    nodes=maybe_size,
    node_rank=st.one_of(st.none(), st.integers(0, 3)),
    eager=st.booleans(),
    loader=st.one_of(st.just(LoaderConfig()), loaders),
)
mounts = st.builds(
    Mount,
    path=st.sampled_from(MOUNTS),
    volume=st.sampled_from(["a", "b"]),
    kind=st.sampled_from(VolumeKind),
    read_only=st.booleans(),
    size_bytes=st.one_of(st.none(), st.integers(0, 64 * GIB)),
)
ids = st.one_of(st.none(), st.integers(0, 2000))
users = st.builds(User, ids, ids, ids, non_root=st.sampled_from([None, True, False]), read_only_root=st.booleans())
containers = st.builds(
    EngineContainer,
    index=st.integers(0, 2),
    name=st.just("engine"),
    image=st.sampled_from([None, "vllm/vllm-openai:v1", "other:latest"]),
    env=environments,
    mounts=st.lists(mounts, max_size=2).map(tuple),
    user=users,
    gpus=st.one_of(st.none(), st.integers(0, 8)),
    gpu_resource=st.none(),
    memory_limit_bytes=st.one_of(st.none(), st.integers(0, 1024 * GIB)),
    resources=st.none(),
    image_pull_policy=st.none(),
    start_budget_seconds=st.one_of(st.none(), st.integers(0, 900)),
)
annotations = st.builds(
    Annotations,
    streamer_version=st.sampled_from(VERSIONS),
    features=st.frozensets(st.sampled_from(Feature)).map(lambda some: some or frozenset(Feature)),
    disabled=st.frozensets(st.sampled_from(Feature), max_size=1),
    concurrency=st.one_of(st.none(), st.integers(1, 200)),
    chunk_bytes=st.one_of(st.none(), st.integers(1, 8 * GIB)),
    memory_limit_bytes=st.one_of(st.none(), st.integers(1, 80 * GIB)),
    cache=st.sampled_from(
        [None, CacheChoice(CacheKind.OFF), CacheChoice(CacheKind.HOST_PATH), CacheChoice(CacheKind.PVC, "c")]
    ),
    cache_path=st.one_of(st.none(), st.text(max_size=10), st.just("/mnt/k8s-disks/0/fastload/a")),
    apply_advice=st.sampled_from([frozenset[str](), frozenset({"distributed"})]),
)
# What most pods are like: the figures decide, and nothing that the user set.
ordinary_launches = st.builds(
    Launch,
    engine=st.sampled_from([Engine.VLLM, Engine.SGLANG]),
    model=st.just("s3://b/m"),
    tensor_parallel_size=st.sampled_from([1, 2, 4, 8]),
)
ordinary_containers = st.builds(
    EngineContainer,
    index=st.just(0),
    name=st.just("engine"),
    image=st.just("vllm/vllm-openai:v1"),
    env=st.just(UserEnv({})),
    mounts=st.just(()),
    user=st.just(User()),
    gpus=st.just(8),
    gpu_resource=st.none(),
    memory_limit_bytes=st.one_of(st.none(), st.integers(8 * GIB, 200 * GIB)),
    resources=st.none(),
    image_pull_policy=st.none(),
    start_budget_seconds=st.none(),
)
none_of_ours = st.builds(Annotations, streamer_version=st.sampled_from(VERSIONS))
pods = st.builds(
    PodFacts,
    namespace=st.just("serving"),
    name=st.sampled_from([None, "engine-0"]),
    labels=st.just({}),
    annotations=annotations,
    launch=launches,
    container=containers,
    placement=st.builds(Placement, gpus=st.one_of(st.none(), st.integers(0, 8))),
    volume_names=st.just(frozenset[str]()),
    view=st.just(Pod()),
)

ordinary_pods = st.builds(
    PodFacts,
    namespace=st.just("serving"),
    name=st.none(),
    labels=st.just({}),
    annotations=none_of_ours,
    launch=ordinary_launches,
    container=ordinary_containers,
    placement=st.just(Placement(gpus=8)),
    volume_names=st.just(frozenset[str]()),
    view=st.just(Pod()),
)


def _type(gpus: int, gbps: float, nvme: int, gpu: str) -> InstanceType:
    return instance(f"t{gpus}.{gbps}", gpus, gbps, gpu, local_nvme_gb=nvme)


types = st.builds(
    _type,
    st.sampled_from([0, 1, 4, 8]),
    st.sampled_from([0.0, 0.5, 2.5, 10, 25, 50, 100, 400, 3200]),
    st.sampled_from([0, 900]),
    st.sampled_from(["H100", "A10G"]),
)


@st.composite
def listings(draw: st.DrawFn) -> Shards:
    count = draw(st.integers(0, 300))
    total = draw(st.integers(count, 900 * GIB)) if count else 0
    largest = draw(st.integers(-(-total // count), total)) if count else 0
    return Shards(
        count=count,
        total_bytes=total,
        largest_bytes=largest,
        rank_count=draw(st.one_of(st.none(), st.integers(1, max(1, count)))),
        rank_bytes=draw(st.one_of(st.none(), st.integers(1, max(1, total)))),
        ranks=draw(st.one_of(st.none(), st.integers(1, 16))),
        consolidated_bytes=draw(st.sampled_from([0, GIB])),
    )


@st.composite
def ordinary_listings(draw: st.DrawFn) -> Shards:
    count, size = draw(st.integers(1, 100)), draw(st.integers(GIB // 4, 5 * GIB))
    return Shards(count=count, total_bytes=count * size, largest_bytes=size)


ordinary_worlds = st.builds(
    World,
    shards=ordinary_listings(),
    candidates=st.builds(Candidates, types=st.tuples(types), source=st.just(Source.NODE_SELECTOR)),
    namespace=st.just(Namespace(name="serving")),
)
worlds = st.builds(
    World,
    shards=st.one_of(st.none(), st.just(UNKNOWN), listings()),
    candidates=st.builds(
        Candidates,
        types=st.lists(types, max_size=3).map(tuple),
        source=st.sampled_from(Source),
        fargate=st.just(False),  # noqa: FBT003 (a strategy's value)
    ),
    namespace=st.one_of(
        st.just(UNKNOWN), st.builds(Namespace, name=st.just("serving"), pod_security=st.sampled_from(PodSecurity))
    ),
)
# A pod and the world it lands in.
odd = st.tuples(pods, worlds)
ordinary = st.tuples(ordinary_pods, ordinary_worlds)
every = st.one_of(ordinary, odd)
settings_ = st.builds(
    PlanSettings,
    chunk=st.sampled_from(ChunkPolicy),
    cache_claim=st.sampled_from([None, "shared"]),
    cache_on_root_volume=st.booleans(),
    cache_init_container=st.booleans(),
    open_files=st.sampled_from([1024, 4096, 65_536]),
)


def _subject(pod: PodFacts, world: World, settings: PlanSettings) -> Subject:
    assert pod.launch is not None
    assert pod.container is not None
    return Subject(pod, pod.launch, pod.container, world, settings)


def _set(plan: Plan, name: str) -> int | None:
    return next((int(each.value) for each in plan.settings if each.name == f"RUNAI_STREAMER_{name}"), None)


def _knobs_in_force(subject: Subject, plan: Plan) -> Knobs:
    untouched = untouched_knobs(subject)
    return msgspec.structs.replace(
        untouched,
        concurrency=_set(plan, "CONCURRENCY") or untouched.concurrency,
        chunk_bytes=_set(plan, "CHUNK_BYTESIZE") or untouched.chunk_bytes,
    )


@given(every, settings_)
def test_a_plan_is_sound(case: tuple[PodFacts, World], settings: PlanSettings) -> None:
    pod, world = case
    plan = decide(pod, world, settings)
    assert pod.container is not None
    names = [setting.name for setting in plan.settings]
    assert len(set(names)) == len(names)
    assert not set(names) & set(pod.container.env.values), "a name of the user's"
    for setting in plan.settings:
        if setting.name.startswith("RUNAI_"):
            assert setting.value.isascii()
            assert setting.value.isdecimal()
            assert int(setting.value) > 0
        else:
            assert setting.value.startswith(("/var/cache/fastload/", "/var/cache/fastload-assets", "/tmp/fastload/"))
    assert (plan.volume is not None) == (plan.cache is Verdict.TUNE)
    assert (plan.status is Status.SKIPPED) == (not plan.settings)
    assert len(set(plan.reasons)) == len(plan.reasons)
    assert len({piece.code for piece in plan.advice}) == len(plan.advice)
    assert "\n" not in plan.summary


@given(every, settings_)
def test_a_second_pass_adds_nothing(case: tuple[PodFacts, World], settings: PlanSettings) -> None:
    pod, world = case
    assert pod.container is not None
    first = decide(pod, world, settings)
    own = {**pod.container.env.values, **{setting.name: setting.value for setting in first.settings}}
    paths = [first.volume.mount_path, first.volume.assets_mount_path] if first.volume else []
    ours = [Mount(path, "fastload", VolumeKind.HOST_PATH) for path in paths if path]
    container = msgspec.structs.replace(
        pod.container, env=UserEnv(own, pod.container.env.hidden), mounts=(*pod.container.mounts, *ours)
    )
    second = decide(msgspec.structs.replace(pod, container=container), world, settings)
    assert second.settings == ()
    assert second.volume is None


# Numbers that do not fit their noun, words that were meant for a program, holes that nothing filled, doubled words.
BAD_ENGLISH = re.compile(
    r"\b1 (ranks|workers|requests|files|shard files|GPUs)\b|\bNone\b|\{(?!\"distributed)|\b(\w+):? \2\b"
)


@given(every, settings_)
def test_a_sentence_is_one_that_a_person_would_write(case: tuple[PodFacts, World], settings: PlanSettings) -> None:
    plan = decide(*case, settings)
    reasons = (*plan.reasons, *(setting.reason for setting in plan.settings))
    texts = [each.text for each in reasons] + [each.text for each in plan.advice]
    assert [text for text in texts if BAD_ENGLISH.search(text)] == []


def _bytes_per_second(pod: PodFacts, world: World, ranks: int) -> float:
    assert pod.container is not None
    gpus = pod.placement.gpus or pod.container.gpus or ranks
    shares = [
        each.network_baseline_gbps * (min(1, gpus / each.gpus) if each.gpus else 1) for each in world.candidates.types
    ]
    return min(shares, default=inf) * 1e9 / 8


@given(every, settings_)
def test_a_speed_limit_leaves_every_request_four_times_its_speed(
    case: tuple[PodFacts, World], settings: PlanSettings
) -> None:
    pod, world = case
    plan = decide(pod, world, settings)
    limit = _set(plan, "S3_LOW_SPEED_LIMIT")
    if limit is None:
        assert _set(plan, "S3_REQUEST_TIMEOUT_MS") is None
        return
    subject = _subject(pod, world, settings)
    reading = reading_of(subject)
    assert world.candidates.types
    files = reading.files or Files(1 << 50, 1 << 50)
    knobs = msgspec.structs.replace(_knobs_in_force(subject, plan), memory_limit=0)
    gets = max(most_in_flight(family, knobs, files) for family in families(pod.annotations.streamer_version))
    assert 65_536 <= limit <= 1 << 20
    assert limit * 4 * reading.ranks * gets <= _bytes_per_second(pod, world, reading.ranks)


@given(every, settings_)
def test_buffers_and_requests_fit_the_container(case: tuple[PodFacts, World], settings: PlanSettings) -> None:
    pod, world = case
    plan = decide(pod, world, settings)
    value = _set(plan, "MEMORY_LIMIT")
    assert pod.container is not None
    if value is None or pod.container.memory_limit_bytes is None or pod.annotations.memory_limit_bytes is not None:
        return
    subject = _subject(pod, world, settings)
    reading = reading_of(subject)
    workers = max(
        _knobs_in_force(subject, plan).workers(family) for family in families(pod.annotations.streamer_version)
    )
    buffers = value if reading.distributed else value * reading.ranks
    volumes = {each.volume: each.size_bytes or 0 for each in pod.container.mounts if each.kind is VolumeKind.MEMORY}
    read = reading.files.total_bytes if reading.files else inf
    requests = reading.ranks * min(workers * 22 * 8 * MIB, read)
    engine = min(pod.container.memory_limit_bytes // 2, (6 + 2 * reading.ranks) * GIB)
    assert engine + buffers + requests + sum(volumes.values()) <= pod.container.memory_limit_bytes
    if reading.files:
        of_a_rank = value // reading.ranks if reading.distributed else value
        assert of_a_rank >= min(reading.files.largest_bytes, 4 * GIB) // MIB * MIB


@given(every, settings_)
def test_no_fewer_requests_in_flight_than_untouched(case: tuple[PodFacts, World], settings: PlanSettings) -> None:
    pod, world = case
    steered = Annotations(streamer_version=pod.annotations.streamer_version)
    pod = msgspec.structs.replace(pod, annotations=steered)
    plan = decide(pod, world, settings)
    subject = _subject(pod, world, settings)
    if plan.streamer is not Verdict.TUNE or any(each.reason.code is Code.CONCURRENCY_MEMORY for each in plan.settings):
        return
    reading = reading_of(subject)
    if reading.files is None:
        assert _set(plan, "CONCURRENCY") is None
        return
    before, after = untouched_knobs(subject), _knobs_in_force(subject, plan)
    # The published chunk is the operator's choice, and held against the streamers of its time.
    published = settings.chunk is ChunkPolicy.PUBLISHED
    for family in (Family.UNBOUNDED,) if published else families(steered.streamer_version):
        flight = sustained_in_flight(family, after, reading.files)
        assert flight >= sustained_in_flight(family, before, reading.files)


@given(every, settings_)
def test_the_users_own_names_change_no_decision_about_others(
    case: tuple[PodFacts, World], settings: PlanSettings
) -> None:
    pod, world = case
    # An environment that has nothing to do with the engine or the streamer.
    assert pod.container is not None
    more: Mapping[str, str | None] = {**pod.container.env.values, "UNRELATED": "1"}
    container = msgspec.structs.replace(pod.container, env=UserEnv(more, pod.container.env.hidden))
    assert decide(msgspec.structs.replace(pod, container=container), world, settings) == decide(pod, world, settings)
