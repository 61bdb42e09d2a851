"""What a pod says, read once: the input of the look-ups and the plan.

Every figure is in the unit its name says. None means that the pod does not say, or says something that cannot be
told before it runs; a default of the engine's own (one rank, load format `auto`) is filled in where the launch line
was read.
"""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from webhook.pod.view import NodeSelectorTerm, Pod, Resources
from webhook.reasons import Counsel, Reason


class Engine(StrEnum):
    """The inference engine that a container launches."""

    VLLM = "vllm"
    SGLANG = "sglang"
    NONE = "none"


class Feature(StrEnum):
    """A part of what fastload does; the `features` annotation picks among them."""

    STREAMER = "streamer"
    RETRY = "retry"
    CACHE = "cache"


class CacheKind(StrEnum):
    """The kind of compile-cache volume."""

    HOST_PATH = "hostpath"
    PVC = "pvc"
    OFF = "off"


class CacheChoice(msgspec.Struct, frozen=True):
    """The `cache` annotation: a kind, and the claim for `pvc`."""

    kind: CacheKind
    claim: str | None = None


class Annotations(msgspec.Struct, frozen=True, kw_only=True):
    """The annotations that steer fastload, parsed; each is None where it is absent or was not understood.

    `disabled` holds the features whose annotation did not parse: a part that the user tried to steer and could not is
    left alone, with a reason, rather than guessed.
    """

    # The prefix they were read with, for sentences that name an annotation.
    prefix: str = "fastload.dev"
    inject: bool | None = None
    model: str | None = None
    engine: Engine | None = None
    container: str | None = None
    instance_types: tuple[str, ...] = ()
    tensor_parallel_size: int | None = None
    streamer_version: tuple[int, int, int] | None = None
    features: frozenset[Feature] = frozenset(Feature)
    disabled: frozenset[Feature] = frozenset()
    concurrency: int | None = None
    chunk_bytes: int | None = None
    memory_limit_bytes: int | None = None
    cache: CacheChoice | None = None
    cache_path: str | None = None
    shards: int | None = None
    model_bytes: int | None = None
    apply_advice: frozenset[str] = frozenset()
    # What fastload wrote on an earlier pass: that it is there counts, never what it says.
    status_present: bool = False
    problems: tuple[Reason, ...] = ()


class LoaderConfig(msgspec.Struct, frozen=True):
    """`--model-loader-extra-config`: what vLLM and SGLang let win over the environment.

    `readable` is False where the JSON cannot be told; then nothing that it may set is known to be free.
    """

    distributed: bool | None = None
    concurrency: int | None = None
    memory_limit: int | None = None
    pattern: str | None = None
    readable: bool = True


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's launch line, in whatever form it was written."""

    engine: Engine
    # False where an annotation names the engine and no line of the container's could be read: all but what other
    # annotations say is unknown then.
    read: bool = True
    model: str | None = None
    load_format: str | None = "auto"
    tensor_parallel_size: int | None = 1
    pipeline_parallel_size: int | None = 1
    data_parallel_size: int | None = 1
    # Ranks of data parallelism that this pod runs; None where the engine decides.
    data_parallel_size_local: int | None = None
    # Number of nodes, and this pod's rank among them; rank None where it is not in the pod before it runs.
    nodes: int | None = 1
    node_rank: int | None = None
    # No torch.compile at all: --enforce-eager, -O0 and their like.
    eager: bool = False
    # The compile cache switched off by the user (VLLM_DISABLE_COMPILE_CACHE=1).
    compile_cache_disabled: bool = False
    # The folder that the user's own compilation config keeps the compile cache in; "" where it names one that is not in
    # the pod before it runs.
    compile_cache_dir: str | None = None
    loader: LoaderConfig = LoaderConfig()
    # A --config file, which the command line overrides and fastload cannot read. Parts of its name that are not in the
    # pod are `?`.
    config_file: str | None = None
    # The flags that can change what is compiled, each under its chief name and in order of names, so that two
    # spellings of one line are equal: everything but host, port, names, keys and logging.
    compile_words: tuple[str, ...] = ()
    # False where a value among them is not in the pod before it runs: two such lines that look equal may differ.
    compile_words_known: bool = True


class EnvFromRef(msgspec.Struct, frozen=True):
    """A ConfigMap or Secret whose keys become environment variables that the pod does not name."""

    kind: str  # "ConfigMap" or "Secret"
    name: str
    prefix: str = ""


class UserEnv(msgspec.Struct, frozen=True):
    """The environment the user set, by any way: `env`, `export`, an assignment before the launch.

    `values` maps a name to its literal value, or to None where the value is not known before the pod runs. A name that
    is here is the user's, an empty value too. `hidden` lists the sources whose names are not in the pod. `forgotten`
    tells that the script runs something that cannot be read (a file that it sources, an unknown `export`) and that may
    have set any name at all.
    """

    values: Mapping[str, str | None]
    hidden: tuple[EnvFromRef, ...] = ()
    forgotten: bool = False

    def __contains__(self, name: object) -> bool:
        return name in self.values


class VolumeKind(StrEnum):
    """Volumes as far as a cache or memory cares."""

    MEMORY = "memory"  # emptyDir of medium Memory: counts against the container's memory limit
    EMPTY_DIR = "empty-dir"
    HOST_PATH = "host-path"
    PVC = "pvc"
    EPHEMERAL = "ephemeral"
    OTHER = "other"


class Mount(msgspec.Struct, frozen=True):
    """A volume mounted in the engine's container."""

    path: str
    volume: str
    kind: VolumeKind
    read_only: bool = False
    # sizeLimit of a Memory-backed emptyDir in bytes; None where it has none.
    size_bytes: int | None = None


class User(msgspec.Struct, frozen=True):
    """Who the engine's process runs as, container over pod; None where neither says."""

    uid: int | None = None
    gid: int | None = None
    fs_group: int | None = None
    non_root: bool | None = None
    read_only_root: bool = False


class EngineContainer(msgspec.Struct, frozen=True, kw_only=True):
    """The container that launches the engine."""

    index: int  # in spec.containers
    name: str
    image: str | None
    env: UserEnv
    mounts: tuple[Mount, ...]
    user: User
    # GPUs asked for through an extended resource; None where DRA or nothing says.
    gpus: int | None
    gpu_resource: str | None
    memory_limit_bytes: int | None
    # Requests and limits of cpu and memory, for an init container that must not change the pod's total.
    resources: Resources | None
    image_pull_policy: str | None
    # Longest time the start-up probe (or, without one, the liveness probe) bears, in seconds.
    start_budget_seconds: int | None
    # The hard limit on open files that the script sets with `ulimit -n`; None where it sets none that is known.
    open_files: int | None = None


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """What the pod says about the node it may run on."""

    node_name: str | None = None
    node_selector: Mapping[str, str] = {}
    # Terms of the required node affinity; any one of them must hold. Empty: no constraint.
    terms: tuple[NodeSelectorTerm, ...] = ()
    tolerations: tuple[tuple[str | None, str | None, str | None, str | None], ...] = ()
    gpus: int | None = None
    fargate: bool = False


class PodFacts(msgspec.Struct, frozen=True, kw_only=True, weakref=True):
    """Everything the plan needs to know of a pod.

    `launch` and `container` are None where no single engine was recognised; `skips` then says why. Where the engine was
    recognised but its script cannot be decided, both are there with what is certain, and `skips` forbids acting on it.
    """

    namespace: str
    name: str | None
    labels: Mapping[str, str]
    annotations: Annotations
    launch: Launch | None
    container: EngineContainer | None
    placement: Placement
    # Names already taken in the pod.
    volume_names: frozenset[str]
    skips: tuple[Reason, ...] = ()
    advice: tuple[Counsel, ...] = ()
    view: Pod
