"""Pods of every shape, for property tests: all that the API server would take, and nulls where it would drop them."""

from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]

_LABEL = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_UNKNOWN = st.dictionaries(st.sampled_from(["futureField", "x~y", "a/b"]), st.just({"deep": [1, None, {"~/": "é"}]}))
# Names that fastload itself would take.
_TAKEN = st.sampled_from(["fastload-cache", "fastload-cache-2", "fastload-assets", "fastload-cache-init"])
_NAMES = _TAKEN | _LABEL
_PATHS = st.sampled_from(
    ["/data", "/var/cache/fastload", "/var/cache", "/var/cache/fastload-assets", "/root/.cache/vllm", "/tmp", "/a~b/c"]
)
_ENV_NAMES = st.sampled_from(
    [
        "RUNAI_STREAMER_CONCURRENCY",
        "RUNAI_STREAMER_S3_LOW_SPEED_LIMIT",
        "VLLM_CACHE_ROOT",
        "TRITON_CACHE_DIR",
        "HF_HOME",
        "POD_IP",
        "ROOT",
        "A",
    ]
)
_ANNOTATION_KEYS = st.sampled_from(
    ["a/b~c", "cold.example/t~1", "plain", "~0", "fastload.dev/model", "fastload.dev/plan", "fastload.dev/cache"]
)

_COMMANDS: st.SearchStrategy[Json] = st.sampled_from(
    [
        {"command": ["vllm", "serve", "s3://models/llm"], "args": ["--tensor-parallel-size", "2"]},
        {"command": ["vllm", "serve", "--model=s3://models/llm", "--enforce-eager"]},
        {"image": "vllm/vllm-openai:v0.11.0", "args": ["--model", "s3://models/llm", "-tp", "8"]},
        {
            "command": ["python3", "-m", "sglang.launch_server"],
            "args": ["--model-path", "s3://models/llm", "--tp", "4"],
        },
        {"command": ["sh", "-c", "export A=1\nexec vllm serve s3://models/llm -tp 2"]},
        {"command": ["sh", "-c", "if true; then vllm serve s3://models/llm; fi"]},
        {"command": ["vllm", "serve", "facebook/opt-125m"]},
        {"command": ["nginx"]},
        {"command": [], "args": None},
        {"args": ["~", "/"]},
    ]
)
# Beside the first engine there is seldom another.
_HELPERS: st.SearchStrategy[Json] = st.sampled_from(
    [{"command": ["nginx"]}, {"image": "nginx"}, {"args": None}, {"command": ["vllm", "serve", "s3://models/other"]}]
)


def _perhaps(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


def _env_entries() -> st.SearchStrategy[Json]:
    value_from = st.sampled_from(
        [
            {"fieldRef": {"fieldPath": "status.podIP"}},
            {"secretKeyRef": {"name": "s", "key": "k", "optional": True}},
            {"configMapKeyRef": {"name": "c", "key": "k"}},
            {"futureRef": {"x": 1}},
        ]
    )
    named = {"name": _ENV_NAMES}
    literal = st.fixed_dictionaries(named, optional={"value": _perhaps(st.just("$(ROOT)/y") | st.just("8") | _TEXT)})
    return literal | st.fixed_dictionaries({**named, "valueFrom": value_from})


def _env_from() -> st.SearchStrategy[Json]:
    prefix = {"prefix": _perhaps(st.sampled_from(["", "RUNAI_STREAMER_", "VLLM_", "X_", "RUNAI_STREAMER_CONCURRENCY"]))}
    reference = st.fixed_dictionaries({"name": _LABEL}, optional={"optional": st.booleans()})
    return st.fixed_dictionaries({"configMapRef": reference}, optional=prefix) | st.fixed_dictionaries(
        {"secretRef": reference}, optional=prefix
    )


def _resources() -> st.SearchStrategy[Json]:
    quantities = st.fixed_dictionaries(
        {},
        optional={
            "cpu": st.sampled_from(["4", 4]),
            "memory": st.sampled_from(["16Gi", "512Gi"]),
            "nvidia.com/gpu": st.sampled_from(["2", 8]),
        },
    )
    return st.fixed_dictionaries({}, optional={"limits": _perhaps(quantities), "requests": _perhaps(quantities)})


def _security() -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries(
        {},
        optional={
            "runAsUser": st.sampled_from([0, 1000]),
            "runAsNonRoot": st.booleans(),
            "readOnlyRootFilesystem": st.booleans(),
            "futureField": st.just(1),
        },
    )


def _mounts(volumes: list[str]) -> st.SearchStrategy[list[Json]]:
    if not volumes:
        return st.just([])
    mount = st.fixed_dictionaries({"name": st.sampled_from(volumes), "mountPath": _PATHS})
    return st.lists(mount, max_size=3, unique_by=lambda each: each["mountPath"])


@st.composite
def _containers(draw: st.DrawFn, name: str, volumes: list[str], commands: st.SearchStrategy[Json]) -> Json:
    optional = {
        "env": _perhaps(st.lists(_env_entries(), max_size=4)),
        "envFrom": _perhaps(st.lists(_env_from(), max_size=3)),
        "resources": _perhaps(_resources()),
        "volumeMounts": _perhaps(_mounts(volumes)),
        "securityContext": _perhaps(_security()),
        "imagePullPolicy": _perhaps(st.sampled_from(["Always", "IfNotPresent"])),
        "image": st.sampled_from(["vllm/vllm-openai:v0.11.0", "lmsysorg/sglang:v0.5.9", "nginx"]),
    }
    drawn = draw(st.fixed_dictionaries({}, optional=optional))
    return {"name": name, **draw(_UNKNOWN), **drawn, **draw(commands)}


def _volumes(name: str) -> st.SearchStrategy[Json]:
    kinds: st.SearchStrategy[Json] = st.sampled_from(
        [
            {"emptyDir": {}},
            {"emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}},
            {"hostPath": {"path": "/mnt/k8s-disks/0"}},
            {"persistentVolumeClaim": {"claimName": "c"}},
            {"futureVolume": {"x": 1}},
        ]
    )
    return kinds.map(lambda kind: {"name": name, **kind})


def _metadata() -> st.SearchStrategy[Json]:
    asked = st.fixed_dictionaries({}, optional={"fastload.dev/inject": st.just("true")})
    odd = st.dictionaries(_ANNOTATION_KEYS, _TEXT, max_size=4)
    annotations = st.builds(lambda ours, theirs: {**theirs, **ours}, asked, odd)
    optional = {
        "name": _LABEL,
        "generateName": st.just("p-"),
        "labels": _perhaps(st.dictionaries(_LABEL, _LABEL, max_size=2)),
        "annotations": _perhaps(annotations),
        "futureField": st.just([1]),
    }
    return st.fixed_dictionaries({}, optional=optional)


@st.composite
def _specs(draw: st.DrawFn) -> Json:
    volumes = draw(st.lists(_NAMES, max_size=4, unique=True))
    names = draw(st.lists(_NAMES, min_size=1, max_size=6, unique=True))
    kinds = (_COMMANDS, _HELPERS, _HELPERS, _HELPERS, _HELPERS, _HELPERS)
    drawn = [draw(_containers(name, volumes, kind)) for name, kind in zip(names, kinds, strict=False)]
    engines, helpers, ephemeral = drawn[:2], drawn[2:4], [{**each, "volumeMounts": None} for each in drawn[4:]]
    sidecars = [{**each, "restartPolicy": "Always"} for each in helpers]
    spec: Json = {"containers": engines, **draw(_UNKNOWN)}
    if bool(volumes) or draw(st.booleans()):
        spec["volumes"] = [draw(_volumes(name)) for name in volumes] or draw(st.sampled_from([None, []]))
    if bool(sidecars) or draw(st.booleans()):
        spec["initContainers"] = sidecars or draw(st.sampled_from([None, []]))
    if ephemeral:
        spec["ephemeralContainers"] = ephemeral
    optional = {
        "securityContext": _perhaps(_security()),
        "nodeSelector": _perhaps(st.just({"node.kubernetes.io/instance-type": "p5.48xlarge"})),
    }
    return {**spec, **draw(st.fixed_dictionaries({}, optional=optional))}


def pods() -> st.SearchStrategy[Json]:
    """Whole pods as raw JSON; metadata may be absent, null or empty."""
    return st.fixed_dictionaries(
        {"apiVersion": st.just("v1"), "kind": st.just("Pod"), "spec": _specs()},
        optional={"metadata": _perhaps(_metadata()), "status": st.just({})},
    )
