"""Advice: said where it helps, with the figures, and only there."""

import pytest

from tests.plan.make import G5_12X, P5, advised, container, env, facts, launch, plan, shards, world
from webhook.lookup.facts import Source, World
from webhook.pod.facts import Annotations, CacheChoice, CacheKind, Engine, LoaderConfig, PodFacts
from webhook.pod.view import Container, EmptyDir, EnvVar, EnvVarSource, HostPath, ObjectMeta, Pod, PodSpec, Volume
from webhook.reasons import Advice

TP_4 = facts(launch=launch(tensor_parallel_size=4), container=container(gpus=4))


def view(*entries: EnvVar) -> Pod:
    return Pod(spec=PodSpec(containers=[Container(name="engine", env=list(entries))]))


def field(name: str, path: str) -> EnvVar:
    return EnvVar(name=name, value_from=EnvVarSource(field_ref={"fieldPath": path}))


POD_IP = facts(
    container=container(env=env({"VLLM_NIXL_SIDE_CHANNEL_HOST": None})),
    view=view(field("VLLM_NIXL_SIDE_CHANNEL_HOST", "status.podIP")),
)
HOST_IP = facts(container=container(env=env({"VLLM_HOST_IP": None})), view=view(field("VLLM_HOST_IP", "status.podIP")))
THROUGH_ANOTHER = facts(
    container=container(env=env({"POD": None, "VLLM_X": None})),
    view=view(field("POD", "metadata.name"), EnvVar(name="VLLM_X", value="x-$(POD)")),
)
FROM_LABEL = facts(container=container(env=env({"VLLM_X": None})), view=view(field("VLLM_X", "metadata.labels['app']")))
PROBED = facts(container=container(start_budget_seconds=60))

CASES = [
    ("PCIe, several ranks", TP_4, world(G5_12X), Advice.DISTRIBUTED, True),
    ("NVLink", TP_4, world(P5), Advice.DISTRIBUTED, False),
    ("one rank", facts(launch=launch(tensor_parallel_size=1)), world(G5_12X), Advice.DISTRIBUTED, False),
    (
        "distributed already",
        facts(launch=launch(loader=LoaderConfig(distributed=True))),
        world(G5_12X),
        Advice.DISTRIBUTED,
        False,
    ),
    (
        "SGLang distributes by itself",
        facts(launch=launch(engine=Engine.SGLANG)),
        world(G5_12X),
        Advice.DISTRIBUTED,
        False,
    ),
    (
        "a rank's own files",
        facts(launch=launch(load_format="runai_streamer_sharded")),
        world(G5_12X, shards=shards(8, 40, rank_count=4, rank_bytes=20 << 30, ranks=2)),
        Advice.DISTRIBUTED,
        False,
    ),
    ("probe too short", PROBED, world(P5), Advice.STARTUP_PROBE, True),
    ("probe long enough", facts(container=container(start_budget_seconds=600)), world(P5), Advice.STARTUP_PROBE, False),
    ("no probe", facts(), world(P5), Advice.STARTUP_PROBE, False),
    (
        "bucket elsewhere",
        facts(),
        world(P5, shards=shards(17, 67, bucket_region="us-east-1"), regions=frozenset({"eu-west-1"})),
        Advice.BUCKET_REGION,
        True,
    ),
    (
        "bucket in one of the regions",
        facts(),
        world(P5, shards=shards(17, 67, bucket_region="us-east-1"), regions=frozenset({"eu-west-1", "us-east-1"})),
        Advice.BUCKET_REGION,
        False,
    ),
    ("regions not known", facts(), world(P5, shards=shards(17, 67, bucket_region="x")), Advice.BUCKET_REGION, False),
    (
        "consolidated file",
        facts(),
        world(P5, shards=shards(17, 67, consolidated_bytes=30 << 30)),
        Advice.CONSOLIDATED_FILE,
        True,
    ),
    (
        "consolidated file, SGLang",
        facts(launch=launch(engine=Engine.SGLANG)),
        world(P5, shards=shards(17, 67, consolidated_bytes=30 << 30)),
        Advice.CONSOLIDATED_FILE,
        False,
    ),
    ("pod IP in a VLLM_ name", POD_IP, world(P5), Advice.PER_POD_ENV, True),
    ("pod IP in a name that no vLLM hashes", HOST_IP, world(P5), Advice.PER_POD_ENV, False),
    ("by way of another name", THROUGH_ANOTHER, world(P5), Advice.PER_POD_ENV, True),
    ("the same in all pods", FROM_LABEL, world(P5), Advice.PER_POD_ENV, False),
    ("loader JSON", facts(launch=launch(loader=LoaderConfig(concurrency=4))), world(P5), Advice.LOADER_CONFIG, True),
    ("eager", facts(launch=launch(eager=True)), world(P5), Advice.ENFORCE_EAGER, True),
    ("start-up plan", facts(), world(P5), Advice.STARTUP_PLAN, True),
    ("start-up plan, SGLang", facts(launch=launch(engine=Engine.SGLANG)), world(P5), Advice.STARTUP_PLAN, False),
    (
        "start-up plan, decided by the user",
        facts(container=container(env=env({"VLLM_ENABLE_STARTUP_PLAN": "0"}))),
        world(P5),
        Advice.STARTUP_PLAN,
        False,
    ),
]


@pytest.mark.parametrize(
    ("pod", "around", "piece", "given"), [row[1:] for row in CASES], ids=[f"{row[3]}: {row[0]}" for row in CASES]
)
def test_advice(pod: PodFacts, around: World, piece: Advice, *, given: bool) -> None:
    assert (piece in advised(plan(pod, around))) is given


def annotated(*names: str) -> PodFacts:
    return facts(view=Pod(metadata=ObjectMeta(annotations=dict.fromkeys(names, "x"))))


AUTOSCALER = "cluster-autoscaler.kubernetes.io"


def holding(volume: Volume) -> PodFacts:
    return facts(view=Pod(spec=PodSpec(volumes=[volume])))


SCALING = [
    ("Karpenter's node", facts(), world(P5, source=Source.NODE_POOLS), False),
    ("another folder of the node", holding(Volume(name="v", host_path=HostPath(path="/a"))), world(P5), False),
    ("a volume on the node's disk", holding(Volume(name="v", empty_dir=EmptyDir())), world(P5), False),
    ("a volume in memory", holding(Volume(name="v", empty_dir=EmptyDir(medium="Memory"))), world(P5), True),
    ("a folder of the node", facts(), world(P5), True),
    ("the pod says what may happen to it", annotated(f"{AUTOSCALER}/safe-to-evict"), world(P5), False),
    ("the pod lists the volume", annotated(f"{AUTOSCALER}/safe-to-evict-local-volumes"), world(P5), False),
    ("a claim", facts(annotations=Annotations(cache=CacheChoice(CacheKind.PVC, "c"))), world(P5), False),
    ("no cache", facts(launch=launch(eager=True)), world(P5), False),
    ("the user's cache", facts(container=container(env=env({"VLLM_CACHE_ROOT": "/c"}))), world(P5), False),
]


@pytest.mark.parametrize(("pod", "around", "given"), [row[1:] for row in SCALING], ids=[row[0] for row in SCALING])
def test_a_folder_of_the_node_holds_the_autoscaler(pod: PodFacts, around: World, *, given: bool) -> None:
    assert (Advice.SCALE_DOWN in advised(plan(pod, around))) is given


def test_what_may_not_exist_in_the_image_comes_last() -> None:
    pod = facts(container=container(image="vllm/vllm-openai"))
    assert [each.code for each in plan(pod).advice][-1] is Advice.STARTUP_PLAN


IMAGES = [
    ("vllm/vllm-openai", True),
    ("vllm/vllm-openai:latest", True),
    ("vllm/vllm-openai:nightly-abc", True),
    ("registry.example:5000/vllm", True),
    ("vllm/vllm-openai:v0.11.0", False),
    ("registry.example:5000/vllm:1.2", False),
    ("vllm/vllm-openai@sha256:00", False),
    ("vllm/vllm-openai:latest@sha256:00", False),
]


@pytest.mark.parametrize(("image", "unpinned"), IMAGES)
def test_an_image_that_may_change_is_named(image: str, *, unpinned: bool) -> None:
    assert (Advice.UNPINNED_IMAGE in advised(plan(facts(container=container(image=image))))) is unpinned


def test_a_view_without_the_container_is_no_error() -> None:
    pod = facts(container=container(env=env({"VLLM_X": None}), index=3), view=Pod())
    assert Advice.PER_POD_ENV not in advised(plan(pod))


def test_distributed_advice_has_the_figures() -> None:
    (text,) = [each.text for each in plan(TP_4, world(G5_12X)).advice if each.code is Advice.DISTRIBUTED]
    assert "268 GiB" in text
    assert "40 Gbit/s" in text
    assert '{"distributed": true}' in text
