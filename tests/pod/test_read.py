"""From a pod to its facts: what is chosen, what annotations change, and what must stay."""

import msgspec
import pytest

from tests.pod.small_pods import codes, container, engine_container, facts_of, launch_of
from webhook.pod.facts import EnvFromRef, Mount, User, VolumeKind
from webhook.pod.read import read_pod
from webhook.pod.settings import PodSettings
from webhook.pod.view import Pod

URI = "s3://bucket/model"
VLLM = ["vllm", "serve", URI]
GIB = 1024**3


def engine(**fields: object) -> dict[str, object]:
    return container(command=VLLM, **fields)


def sidecar(**fields: object) -> dict[str, object]:
    return {"name": "proxy", "image": "example/proxy:1", "args": ["--vllm-port=8200"], **fields}


# Which container. -----------------------------------------------------------------------------------------------------


def test_the_one_engine_among_sidecars_is_chosen() -> None:
    facts = facts_of(sidecar(), engine(), sidecar(name="metrics"))
    assert (engine_container(facts).index, engine_container(facts).name) == (1, "engine")


def test_init_containers_are_no_engines() -> None:
    native = {**engine(), "name": "native", "restartPolicy": "Always"}
    assert codes(facts_of(sidecar(), initContainers=[native])) == ["no-engine"]


def test_several_engines_need_a_name() -> None:
    facts = facts_of(engine(), engine(name="other"))
    assert codes(facts) == ["several-engines"]
    assert "engine, other" in facts.skips[0].text
    assert "fastload.dev/container" in facts.skips[0].text
    assert len(facts_of(engine(name="a" * 5000), engine()).skips[0].text) < 600
    named = facts_of(engine(), engine(name="other"), annotations={"container": "other"})
    assert (engine_container(named).index, named.skips) == (1, ())


def test_the_engine_annotation_picks_among_engines() -> None:
    sglang = container(name="sgl", command=["sglang", "serve", URI])
    assert engine_container(facts_of(engine(), sglang, annotations={"engine": "sglang"})).name == "sgl"


def test_a_name_that_is_not_there() -> None:
    facts = facts_of(engine(), annotations={"container": "gone"})
    assert codes(facts) == ["no-such-container"]
    assert facts.launch is None


def test_a_named_container_that_launches_nothing() -> None:
    assert codes(facts_of(engine(), sidecar(), annotations={"container": "proxy"})) == ["no-engine"]


def test_annotations_stand_for_a_launch_that_cannot_be_read() -> None:
    facts = facts_of(
        container(command=["python", "serve.py", "--password", "hunter2"]),
        sidecar(),
        annotations={"engine": "vllm", "model": URI, "tensor-parallel-size": "4"},
    )
    launch = launch_of(facts)
    assert (launch.engine, launch.model, launch.load_format, launch.tensor_parallel_size) == ("vllm", URI, "auto", 4)
    assert (launch.pipeline_parallel_size, launch.nodes, launch.loader.readable) == (None, None, False)
    assert "hunter2" not in str(launch)
    assert not launch.read
    assert launch_of(facts_of(engine())).read
    assert facts.skips == ()


def test_such_launches_with_other_words_are_told_apart() -> None:
    lines = [["python", "serve.py"], ["python", "serve.py", "--eager"]]
    words = {
        launch_of(facts_of(container(command=line), annotations={"engine": "vllm"})).compile_words for line in lines
    }
    assert len(words) == 2


def test_windows() -> None:
    assert codes(facts_of(engine(), os={"name": "windows"})) == ["windows"]
    assert codes(facts_of(engine(), nodeSelector={"kubernetes.io/os": "windows"})) == ["windows"]


# What annotations change. ---------------------------------------------------------------------------------------------


def test_annotations_beat_the_launch_line() -> None:
    facts = facts_of(engine(), annotations={"model": "s3://other/m", "tensor-parallel-size": "2"})
    assert (launch_of(facts).model, launch_of(facts).tensor_parallel_size) == ("s3://other/m", 2)


def test_a_model_annotation_settles_an_unknown_model() -> None:
    unknown = container(command=["vllm", "serve", "$(MODEL)"])
    assert codes(facts_of(unknown)) == ["unknown-model"]
    facts = facts_of(unknown, annotations={"model": URI})
    assert (launch_of(facts).model, launch_of(facts).load_format, facts.skips) == (URI, "auto", ())


def test_a_model_annotation_settles_a_model_that_the_script_chooses() -> None:
    script = container(command=["sh", "-c", "M=$(cat m); vllm serve $M"])
    assert codes(facts_of(script)) == ["undecidable-script"]
    assert facts_of(script, annotations={"model": URI}).skips == ()


def test_a_model_annotation_does_not_settle_a_launch_in_a_branch() -> None:
    script = container(command=["sh", "-c", "if x; then vllm serve m; fi"])
    assert codes(facts_of(script, annotations={"model": URI})) == ["undecidable-script"]


def test_a_bad_annotation_is_told_and_the_rest_is_read() -> None:
    facts = facts_of(engine(), annotations={"concurrency": "many"})
    assert [reason.code for reason in facts.annotations.problems] == ["bad-annotation"]
    assert launch_of(facts).model == URI


@pytest.mark.parametrize(
    ("inject", "skips"),
    [
        (None, []),
        ("true", []),
        ("false", ["opted-out"]),
        (" true ", ["bad-annotation"]),
        ("True", ["bad-annotation"]),
        ("", ["bad-annotation"]),
    ],
)
def test_the_pods_own_word_is_read_to_the_letter(inject: str | None, skips: list[str]) -> None:
    facts = facts_of(engine(), annotations={"inject": inject})
    assert codes(facts) == skips
    assert launch_of(facts).model == URI
    assert facts.annotations.inject is {"true": True, "false": False}.get(inject or "")


# Ranks. ---------------------------------------------------------------------------------------------------------------

MULTI = ["vllm", "serve", URI, "-tp", "16", "--nnodes", "2"]


@pytest.mark.parametrize(
    ("words", "labels", "rank"),
    [
        (["--node-rank", "1"], {}, 1),
        ([], {}, 0),
        (["--node-rank", "$(RANK)"], {}, None),
        (["--node-rank", "$(RANK)"], {"leaderworkerset.sigs.k8s.io/worker-index": "1"}, 1),
        (["--node-rank", "$(RANK)"], {"apps.kubernetes.io/pod-index": "1"}, 1),
        (["--node-rank", "$(RANK)"], {"batch.kubernetes.io/job-completion-index": "1"}, 1),
        (["--node-rank", "$(RANK)"], {"apps.kubernetes.io/pod-index": "one"}, None),
    ],
)
def test_the_rank_is_the_lines_or_a_controllers(words: list[str], labels: dict[str, str], rank: int | None) -> None:
    assert launch_of(facts_of(container(command=[*MULTI, *words]), labels=labels)).node_rank == rank


def test_a_pods_index_is_no_rank_where_there_is_one_node() -> None:
    assert launch_of(facts_of(engine(), labels={"apps.kubernetes.io/pod-index": "3"})).node_rank is None


def test_a_groups_size_is_taken_from_the_pod_or_the_workload() -> None:
    words = ["vllm", "serve", URI, "--nnodes", "$(LWS_GROUP_SIZE)"]
    assert launch_of(facts_of(container(command=words))).nodes is None
    assert launch_of(facts_of(container(command=words), ambient={"LWS_GROUP_SIZE": "4"})).nodes == 4
    annotated = facts_of(container(command=words), annotations={"leaderworkerset.sigs.k8s.io/size": "2"})
    assert launch_of(annotated).nodes == 2


def test_the_pods_own_environment_beats_the_ambient() -> None:
    env = [{"name": "LWS_GROUP_SIZE", "value": "3"}]
    words = ["vllm", "serve", URI, "--nnodes", "$(LWS_GROUP_SIZE)"]
    facts = facts_of(container(command=words, env=env), ambient={"LWS_GROUP_SIZE": "4"})
    assert launch_of(facts).nodes == 3


def test_ambient_names_are_not_the_users() -> None:
    assert engine_container(facts_of(engine(), ambient={"LWS_GROUP_SIZE": "4"})).env.values == {}


# What the container asks for. -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("resources", "gpus", "resource"),
    [
        (None, 0, None),
        ({"limits": {"nvidia.com/gpu": "8"}}, 8, "nvidia.com/gpu"),
        ({"limits": {"nvidia.com/gpu": 8}}, 8, "nvidia.com/gpu"),
        ({"requests": {"nvidia.com/gpu": "4"}, "limits": None}, 4, "nvidia.com/gpu"),
        ({"requests": {"nvidia.com/gpu": "4"}, "limits": {"nvidia.com/gpu": "2"}}, 2, "nvidia.com/gpu"),
        ({"limits": {"nvidia.com/gpu": "0"}}, 0, None),
        ({"limits": {"nvidia.com/gpu": None, "memory": None}, "requests": {"cpu": None}}, 0, None),
        ({"limits": {"nvidia.com/mig-1g.10gb": 1}}, 1, "nvidia.com/mig-1g.10gb"),
        ({"limits": {"amd.com/gpu": "8"}}, 8, "amd.com/gpu"),
        ({"limits": {"aws.amazon.com/neuron": "16"}}, 16, "aws.amazon.com/neuron"),
        ({"claims": [{"name": "gpus"}], "limits": {"memory": "1Gi"}}, None, None),
        ({"limits": {"nvidia.com/gpu-h100": 1}}, None, None),
        ({"limits": {"cpu": "4"}}, 0, None),
        ({"limits": {"nvidia.com/gpu": "eight"}}, 0, None),
    ],
)
def test_gpus(resources: object, gpus: int | None, resource: str | None) -> None:
    found = engine_container(facts_of(engine(resources=resources)))
    assert (found.gpus, found.gpu_resource) == (gpus, resource)


def test_the_node_needs_the_gpus_of_all_containers() -> None:
    assert facts_of(engine(), sidecar(resources={"limits": {"nvidia.com/gpu": 1}})).placement.gpus == 9


def test_memory_is_the_limit_and_not_the_request() -> None:
    resources = {"limits": {"memory": "64Gi"}, "requests": {"memory": "32Gi"}}
    assert engine_container(facts_of(engine(resources=resources))).memory_limit_bytes == 64 * GIB
    for no_limit in ({"requests": {"memory": "32Gi"}}, {"limits": {"memory": None}}):
        assert engine_container(facts_of(engine(resources=no_limit))).memory_limit_bytes is None


@pytest.mark.parametrize(
    ("own", "pods", "limit"),
    [("64Gi", None, 64), (None, "32Gi", 32), ("64Gi", "32Gi", 32), ("16Gi", "32Gi", 16), (None, None, None)],
)
def test_memory_is_bounded_by_the_whole_pods_too(own: str | None, pods: str | None, limit: int | None) -> None:
    facts = facts_of(
        engine(resources={"limits": {"memory": own}}), resources={"limits": {"memory": pods}} if pods else None
    )
    assert engine_container(facts).memory_limit_bytes == (limit and limit * GIB)


def test_mounts_with_their_kinds() -> None:
    names = ["shm", "scratch", "disk", "claim", "own", "config", "gone"]
    facts = facts_of(
        engine(
            volumeMounts=[{"name": name, "mountPath": f"/{name}", "readOnly": name == "config"} for name in names],
            volumeDevices=[{"name": "block", "devicePath": "/dev/block"}],
        ),
        volumes=[
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}},
            {"name": "scratch", "emptyDir": {}},
            {"name": "disk", "hostPath": {"path": "/x"}},
            {"name": "claim", "persistentVolumeClaim": {"claimName": "c"}},
            {"name": "own", "ephemeral": {}},
            {"name": "config", "configMap": {"name": "c"}},
        ],
    )
    assert engine_container(facts).mounts == (
        Mount("/shm", "shm", VolumeKind.MEMORY, size_bytes=2 * GIB),
        Mount("/scratch", "scratch", VolumeKind.EMPTY_DIR),
        Mount("/disk", "disk", VolumeKind.HOST_PATH),
        Mount("/claim", "claim", VolumeKind.PVC),
        Mount("/own", "own", VolumeKind.EPHEMERAL),
        Mount("/config", "config", VolumeKind.OTHER, read_only=True),
        Mount("/gone", "gone", VolumeKind.OTHER),
        Mount("/dev/block", "block", VolumeKind.OTHER),
    )
    assert facts.volume_names == {"shm", "scratch", "disk", "claim", "own", "config"}


def test_the_containers_user_beats_the_pods() -> None:
    pod = {"runAsUser": 1000, "runAsGroup": 2000, "fsGroup": 3000, "runAsNonRoot": True}
    own = {"runAsUser": 0, "runAsNonRoot": False, "readOnlyRootFilesystem": True}
    facts = facts_of(engine(securityContext=own), securityContext=pod)
    assert engine_container(facts).user == User(uid=0, gid=2000, fs_group=3000, non_root=False, read_only_root=True)
    assert engine_container(facts_of(engine(), securityContext=pod)).user == User(1000, 2000, 3000, non_root=True)


@pytest.mark.parametrize(
    ("probes", "seconds"),
    [
        ({}, None),
        ({"startupProbe": {"periodSeconds": 10, "failureThreshold": 60}}, 600),
        ({"startupProbe": {"initialDelaySeconds": 30}}, 60),
        ({"livenessProbe": {"periodSeconds": 5}}, 15),
        ({"startupProbe": {"failureThreshold": 10}, "livenessProbe": {"periodSeconds": 5}}, 100),
    ],
)
def test_the_time_that_probes_bear(probes: dict[str, object], seconds: int | None) -> None:
    assert engine_container(facts_of(engine(**probes))).start_budget_seconds == seconds


def test_hidden_environment_is_listed_in_order() -> None:
    sources = [
        {"configMapRef": {"name": "a"}},
        {"prefix": "P_", "secretRef": {"name": "b", "optional": True}},
        {"configMapRef": None},
    ]
    env = engine_container(facts_of(engine(envFrom=sources))).env
    assert env.hidden == (EnvFromRef("ConfigMap", "a"), EnvFromRef("Secret", "b", "P_"))


# Where it may run. ----------------------------------------------------------------------------------------------------


def test_placement() -> None:
    term = {"matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}]}
    facts = facts_of(
        engine(),
        nodeName="n",
        nodeSelector={"a": "b", "c": None},
        affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}},
        tolerations=[{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
    )
    placement = facts.placement
    assert (placement.node_name, placement.node_selector) == ("n", {"a": "b"})
    assert placement.tolerations == (("gpu", "Exists", None, "NoSchedule"),)
    (found,) = placement.terms
    assert found.match_expressions is not None
    assert found.match_expressions[0].values == ["v"]
    assert not placement.fargate


def test_fargate() -> None:
    assert facts_of(engine(), labels={"eks.amazonaws.com/fargate-profile": "p"}).placement.fargate
    assert facts_of(engine(), schedulerName="fargate-scheduler").placement.fargate
    assert facts_of(engine(), nodeSelector={"eks.amazonaws.com/compute-type": "fargate"}).placement.fargate


# Broken pods. ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"spec": None},
        {"metadata": None, "spec": {}},
        {"spec": {"containers": None}},
        {"spec": {"containers": []}},
        {"spec": {"containers": [{"name": ""}]}},
        {"spec": {"containers": [{"name": "a", "command": [], "args": []}]}},
        {"spec": {"containers": [{"name": "a", "command": [""], "env": [{"name": ""}]}]}},
    ],
)
def test_a_broken_pod_has_no_launch_and_a_reason(document: dict[str, object]) -> None:
    facts = read_pod(msgspec.convert(document, Pod), namespace="n", settings=PodSettings(), ambient={})
    assert (facts.launch, facts.container, codes(facts)) == (None, None, ["no-engine"])


def test_names() -> None:
    facts = facts_of(engine(), labels={"a": "b", "c": None})
    assert (facts.namespace, facts.labels) == ("serving", {"a": "b"})
