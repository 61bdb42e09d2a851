"""From a pod to its facts: the one way in for reviews and previews alike."""

from collections.abc import Mapping
from hashlib import sha256

import msgspec

from webhook.pod.annotations import parse_annotations, read_inject
from webhook.pod.effort import Effort
from webhook.pod.environment import Environment, environment_of
from webhook.pod.facts import (
    Annotations,
    Engine,
    EngineContainer,
    Launch,
    LoaderConfig,
    Placement,
    PodFacts,
    UserEnv,
)
from webhook.pod.placement import placement_of, present, runs_on_windows
from webhook.pod.recognise import Recognition, recognise
from webhook.pod.resources import gpus_of, memory_limit_of, mounts_of, start_budget_of, user_of
from webhook.pod.settings import PodSettings
from webhook.pod.unknown import known
from webhook.pod.view import Container, ObjectMeta, Pod, PodSpec
from webhook.reasons import Code, Reason, because

# A pod's rank, where a controller wrote it: LeaderWorkerSet, StatefulSet, indexed Job (their API references).
_WORKER_INDEX = "leaderworkerset.sigs.k8s.io/worker-index"
_RANKS = (
    _WORKER_INDEX,
    "batch.kubernetes.io/job-completion-index",
    "apps.kubernetes.io/pod-index",
)
# What LeaderWorkerSet's controller writes on its pods, and the environment that it gives them for it.
_GROUP = {"leaderworkerset.sigs.k8s.io/size": "LWS_GROUP_SIZE", _WORKER_INDEX: "LWS_WORKER_INDEX"}


class _Candidate(msgspec.Struct, frozen=True):
    """A container, its environment, and what it launches."""

    index: int
    container: Container
    environment: Environment
    recognition: Recognition


def read_pod(pod: Pod, *, namespace: str, settings: PodSettings, ambient: Mapping[str, str]) -> PodFacts:
    """Reads a pod's facts.

    Args:
        pod: the pod or the template of one.
        namespace: where it will run.
        settings: how annotations are recognised.
        ambient: environment that a controller will add to its containers.

    Returns:
        The facts. Never raises: a broken pod has no launch, and a reason says why.
    """
    metadata, spec = pod.metadata or ObjectMeta(), pod.spec or PodSpec()
    annotations = parse_annotations(metadata.annotations, settings.annotation_prefix)
    marks = {**present(metadata.annotations), **present(metadata.labels)}
    ambient = {**{name: marks[key] for key, name in _GROUP.items() if key in marks}, **ambient}
    chosen, skips = _choose(spec, annotations, ambient)
    launch = None
    if chosen is not None:
        launch, problems = _settle(chosen, annotations, marks)
        skips += problems
    return PodFacts(
        namespace=namespace,
        name=metadata.name or metadata.generate_name,
        labels=present(metadata.labels),
        annotations=annotations,
        launch=launch,
        container=_container(chosen, spec) if chosen is not None and launch is not None else None,
        placement=placement_of(pod, spec) if pod.spec is not None else Placement(gpus=0),
        volume_names=frozenset(volume.name for volume in spec.volumes or ()),
        skips=(*_not_asked(metadata, settings.annotation_prefix), *skips),
        view=pod,
    )


def _not_asked(metadata: ObjectMeta, prefix: str) -> tuple[Reason, ...]:
    """Why the pod's own annotation forbids acting on it; one without it is read as if it had asked."""
    asked = read_inject(metadata.annotations, prefix)
    if isinstance(asked, Reason):
        return (asked,)
    return (because(Code.OPTED_OUT, annotation=f"{prefix}/inject"),) if asked is False else ()


def _choose(
    spec: PodSpec, annotations: Annotations, ambient: Mapping[str, str]
) -> tuple[_Candidate | None, tuple[Reason, ...]]:
    """The container that launches the engine: the one named, or the only one that does."""
    if runs_on_windows(spec):
        return None, (because(Code.WINDOWS),)
    containers, effort = spec.containers or [], Effort()
    if annotations.container is not None:
        named = [at for at, container in enumerate(containers) if container.name == annotations.container]
        if not named:
            key = f"{annotations.prefix}/container"
            return None, (because(Code.NO_SUCH_CONTAINER, annotation=key, container=annotations.container),)
        return _named(_candidate(named[0], containers[named[0]], ambient, effort), annotations)
    return _only([_candidate(at, container, ambient, effort) for at, container in enumerate(containers)], annotations)


def _candidate(index: int, container: Container, ambient: Mapping[str, str], effort: Effort) -> _Candidate:
    environment = environment_of(container, ambient)
    gpus = gpus_of(container.resources)[0] != 0
    return _Candidate(index, container, environment, recognise(container, environment, effort, gpus=gpus))


def _named(candidate: _Candidate, annotations: Annotations) -> tuple[_Candidate | None, tuple[Reason, ...]]:
    recognition = candidate.recognition
    if recognition.launch is not None or annotations.engine is not None:
        return candidate, ()
    if recognition.undecidable is not None:
        return None, (_undecidable(candidate),)
    return None, (because(Code.NO_ENGINE),)


def _only(candidates: list[_Candidate], annotations: Annotations) -> tuple[_Candidate | None, tuple[Reason, ...]]:
    engines = [candidate for candidate in candidates if candidate.recognition.launch is not None]
    if annotations.engine is not None:
        engines = [found for found in engines if _engine_of(found) is annotations.engine]
    if len(engines) == 1:
        return engines[0], ()
    if engines:
        names = ", ".join(found.container.name for found in engines)
        key = f"{annotations.prefix}/container"
        return None, (because(Code.SEVERAL_ENGINES, containers=names, annotation=key),)
    likely = [found for found in candidates if gpus_of(found.container.resources)[0] != 0] or candidates
    if annotations.engine is not None and len(likely) == 1:
        return likely[0], ()
    unclear = tuple(_undecidable(found) for found in candidates if found.recognition.undecidable is not None)
    return None, unclear or (because(Code.NO_ENGINE),)


def _engine_of(candidate: _Candidate) -> Engine:
    launch = candidate.recognition.launch
    return launch.engine if launch is not None else Engine.NONE


def _undecidable(candidate: _Candidate) -> Reason:
    problem = candidate.recognition.undecidable
    return because(Code.UNDECIDABLE_SCRIPT, container=candidate.container.name, problem=problem)


def _settle(
    chosen: _Candidate, annotations: Annotations, marks: Mapping[str, str]
) -> tuple[Launch, tuple[Reason, ...]]:
    """The launch with what annotations and controllers add to it, and what still forbids acting on it."""
    recognition = chosen.recognition
    launch = recognition.launch
    if launch is None or (annotations.engine is not None and launch.engine is not annotations.engine):
        return _unread(chosen, annotations, marks), ()
    problems: list[Reason] = []
    if recognition.undecidable is not None:
        problems.append(_undecidable(chosen))
    elif launch.config_file is not None:
        # It may hold any flag that the line does not: parallelism, loader, compilation.
        path = launch.config_file or "a config file"
        problems.append(because(Code.UNREADABLE_CONFIG_FILE, container=chosen.container.name, path=path))
    elif recognition.model_problem is not None and annotations.model is None:
        problems.append(_model_reason(chosen, launch, recognition))
    return _overridden(launch, annotations, marks), tuple(problems)


def _model_reason(chosen: _Candidate, launch: Launch, recognition: Recognition) -> Reason:
    name, problem = chosen.container.name, recognition.model_problem
    if recognition.model_undecided:
        return because(Code.UNDECIDABLE_SCRIPT, container=name, problem=f"which model is not clear: {problem}")
    return because(Code.UNKNOWN_MODEL, container=name, engine=launch.engine, problem=problem)


def _overridden(launch: Launch, annotations: Annotations, marks: Mapping[str, str]) -> Launch:
    changes: dict[str, object] = {}
    if annotations.model is not None:
        changes["model"] = annotations.model
        if launch.model is None and launch.load_format is None and launch.config_file is None:
            changes["load_format"] = "auto"
    if annotations.tensor_parallel_size is not None:
        changes["tensor_parallel_size"] = annotations.tensor_parallel_size
    if launch.node_rank is None and launch.nodes != 1:
        changes["node_rank"] = _rank(marks)
    return msgspec.structs.replace(launch, **changes) if changes else launch


def _rank(marks: Mapping[str, str]) -> int | None:
    written = next((marks[key] for key in _RANKS if key in marks), "")
    return int(written) if written.isascii() and written.isdecimal() and len(written) < 10 else None  # noqa: PLR2004 - digits


def _unread(chosen: _Candidate, annotations: Annotations, marks: Mapping[str, str]) -> Launch:
    """The launch of an engine that annotations name and no reader understands: all else is unknown.

    A digest of the container's own words stands for the launch line, so that two pods with other words are told apart.
    """
    words = (*(chosen.container.command or ()), *(chosen.container.args or ()))
    digest = sha256("\0".join(words).encode("utf-8", "replace")).hexdigest()
    return Launch(
        engine=annotations.engine or Engine.NONE,
        read=False,
        model=annotations.model,
        load_format="auto" if annotations.model is not None else None,
        tensor_parallel_size=annotations.tensor_parallel_size,
        pipeline_parallel_size=None,
        data_parallel_size=None,
        nodes=None,
        node_rank=_rank(marks),
        loader=LoaderConfig(readable=False),
        compile_words=(digest,),
    )


def _container(chosen: _Candidate, spec: PodSpec) -> EngineContainer:
    container, environment, recognition = chosen.container, chosen.environment, chosen.recognition
    gpus, resource = gpus_of(container.resources)
    own = {name: known(environment.values[name]) for name in environment.own}
    return EngineContainer(
        index=chosen.index,
        name=container.name,
        image=container.image,
        env=UserEnv({**own, **recognition.assigned}, environment.hidden, recognition.forgotten),
        mounts=mounts_of(container, spec),
        user=user_of(container, spec),
        gpus=gpus,
        gpu_resource=resource,
        memory_limit_bytes=memory_limit_of(container, spec),
        resources=container.resources,
        image_pull_policy=container.image_pull_policy,
        start_budget_seconds=start_budget_of(container),
        open_files=recognition.open_files,
    )
