"""Partial views of a pod: the fields that fastload reads, and no others.

A view is decoded from the raw JSON and never written back, so unknown fields cannot get lost. A field that is null
counts as absent, as it does for the API server. Names follow the Kubernetes API through `rename="camel"`.
"""

from typing import Annotated, Any

import msgspec

Quantity = str | int | float


class _View(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A partial view: unknown fields are ignored, null equals absent."""


class ObjectMeta(_View, frozen=True, kw_only=True):
    """Names, labels and annotations of an object."""

    name: str | None = None
    generate_name: str | None = None
    namespace: str | None = None
    labels: dict[str, str | None] | None = None
    annotations: dict[str, str | None] | None = None


class KeySelector(_View, frozen=True, kw_only=True):
    """A reference to one key of a ConfigMap or a Secret."""

    name: str | None = None
    key: str | None = None


class EnvVarSource(_View, frozen=True, kw_only=True):
    """Where an environment variable's value comes from; only its kind matters here."""

    field_ref: dict[str, Any] | None = None
    resource_field_ref: dict[str, Any] | None = None
    config_map_key_ref: KeySelector | None = None
    secret_key_ref: KeySelector | None = None


class EnvVar(_View, frozen=True, kw_only=True):
    """One entry of a container's `env`."""

    name: str
    value: str | None = None
    value_from: EnvVarSource | None = None


class LocalReference(_View, frozen=True, kw_only=True):
    """A reference to a ConfigMap or a Secret as a whole."""

    name: str | None = None


class EnvFromSource(_View, frozen=True, kw_only=True):
    """One entry of a container's `envFrom`."""

    prefix: str | None = None
    config_map_ref: LocalReference | None = None
    secret_ref: LocalReference | None = None


class VolumeMount(_View, frozen=True, kw_only=True):
    """Where a volume is mounted in a container."""

    name: str
    mount_path: str
    read_only: bool | None = None


class VolumeDevice(_View, frozen=True, kw_only=True):
    """Where a raw block volume appears in a container."""

    name: str
    device_path: str


class Resources(_View, frozen=True, kw_only=True):
    """Requests, limits and dynamic resource claims of a container."""

    requests: dict[str, Quantity | None] | None = None
    limits: dict[str, Quantity | None] | None = None
    claims: list[dict[str, Any]] | None = None


class SecurityContext(_View, frozen=True, kw_only=True):
    """Security context of a pod or a container: the user id and the root file system."""

    run_as_user: int | None = None
    run_as_group: int | None = None
    run_as_non_root: bool | None = None
    fs_group: int | None = None
    read_only_root_filesystem: bool | None = None


class Probe(_View, frozen=True, kw_only=True):
    """A probe's timing, in seconds and tries."""

    initial_delay_seconds: int | None = None
    period_seconds: int | None = None
    failure_threshold: int | None = None


class Container(_View, frozen=True, kw_only=True):
    """A container, an init container or an ephemeral container."""

    name: str
    image: str | None = None
    command: list[str] | None = None
    args: list[str] | None = None
    env: list[EnvVar] | None = None
    env_from: list[EnvFromSource] | None = None
    resources: Resources | None = None
    volume_mounts: list[VolumeMount] | None = None
    volume_devices: list[VolumeDevice] | None = None
    security_context: SecurityContext | None = None
    startup_probe: Probe | None = None
    liveness_probe: Probe | None = None
    image_pull_policy: str | None = None


class EmptyDir(_View, frozen=True, kw_only=True):
    """An emptyDir volume."""

    medium: str | None = None
    size_limit: Quantity | None = None


class HostPath(_View, frozen=True, kw_only=True):
    """A hostPath volume."""

    path: str | None = None


class Volume(_View, frozen=True, kw_only=True):
    """A volume of the pod: its name and the kinds that are told apart."""

    name: str
    empty_dir: EmptyDir | None = None
    host_path: HostPath | None = None
    persistent_volume_claim: dict[str, Any] | None = None
    ephemeral: dict[str, Any] | None = None


class NodeSelectorRequirement(_View, frozen=True, kw_only=True):
    """One expression of a node selector term."""

    key: str
    operator: str
    values: list[str] | None = None


class NodeSelectorTerm(_View, frozen=True, kw_only=True):
    """One term: all its expressions must hold."""

    match_expressions: list[NodeSelectorRequirement] | None = None
    match_fields: list[NodeSelectorRequirement] | None = None


class NodeSelector(_View, frozen=True, kw_only=True):
    """Terms of which any one must hold."""

    node_selector_terms: list[NodeSelectorTerm] | None = None


class NodeAffinity(_View, frozen=True, kw_only=True):
    """The part of node affinity that binds."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None


class Affinity(_View, frozen=True, kw_only=True):
    """Affinity; only that to nodes is read."""

    node_affinity: NodeAffinity | None = None


class Toleration(_View, frozen=True, kw_only=True):
    """A toleration of the pod."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None


class PodOs(_View, frozen=True, kw_only=True):
    """The operating system that the pod asks for."""

    name: str | None = None


class PodSpec(_View, frozen=True, kw_only=True):
    """The pod's specification."""

    containers: list[Container] | None = None
    init_containers: list[Container] | None = None
    ephemeral_containers: list[Container] | None = None
    volumes: list[Volume] | None = None
    node_selector: dict[str, str | None] | None = None
    node_name: str | None = None
    affinity: Affinity | None = None
    tolerations: list[Toleration] | None = None
    security_context: SecurityContext | None = None
    os: PodOs | None = None
    scheduler_name: str | None = None
    # Of the pod as a whole (Kubernetes 1.34 and later, beta): cpu, memory and huge pages only.
    resources: Resources | None = None


class Pod(_View, frozen=True, kw_only=True):
    """A pod, or the template of one: metadata and specification."""

    metadata: ObjectMeta | None = None
    spec: Annotated[PodSpec | None, msgspec.Meta(description="absent only in a broken pod")] = None
