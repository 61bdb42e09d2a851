"""What was gathered of a cluster, for checks that are functions of nothing else."""

import datetime as dt
from collections.abc import Mapping

import msgspec

from webhook.doctor.finding import Unread
from webhook.doctor.own_views import Container, Deployment, EndpointSlice, Service
from webhook.doctor.views import Object, Pod, Version, WebhookConfiguration, Workload

SYSTEM_NAMESPACES = ("kube-system", "kube-node-lease")


class Place(msgspec.Struct, frozen=True):
    """Where fastload is installed: the namespace, and the name of its Service and of its Deployment."""

    namespace: str
    name: str


class Right(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a user may or may not do: a verb, a resource, and a namespace or name if it is bound to one."""

    verb: str
    resource: str
    group: str = ""
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        resource = f"{self.resource}.{self.group}" if self.group else self.resource
        name = f"/{self.name}" if self.name else ""
        return f"{self.verb} {resource}{name}{f' in {self.namespace}' if self.namespace else ''}"


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """Whether fastload's service account may do what it needs, and what nobody should grant it."""

    right: Right
    needed: bool
    allowed: bool


class Probe(msgspec.Struct, frozen=True):
    """What became of a pod that asked, created as a dry run: its `status` annotation, or why it was refused."""

    namespace: str
    status: str | None = None
    refusal: str = ""


class Said(msgspec.Struct, frozen=True):
    """A reason of a preview: its word, of whatever version, and its sentence."""

    code: str
    text: str


class Listed(msgspec.Struct, frozen=True):
    """The shard files that a preview counted."""

    count: int


class AskedPod(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a pod's preview: its model, and whether that was listed, or why not."""

    model: str | None = None
    shards: Listed | None = None
    reasons: tuple[Said, ...] = ()


class Asked(msgspec.Struct, frozen=True):
    """What the running fastload says of pods that asked for it."""

    pods: tuple[AskedPod, ...]


class Settings(msgspec.Struct, frozen=True):
    """The settings of the installed fastload, as far as its Deployment says them itself."""

    environment: Mapping[str, str]

    @property
    def prefix(self) -> str:
        """Prefix of every annotation and of the namespace label."""
        return self.environment.get("FASTLOAD_ANNOTATION_PREFIX") or "fastload.dev"

    @property
    def self_managed(self) -> bool:
        """Whether fastload keeps its certificate by itself."""
        return self.environment.get("FASTLOAD_CERTIFICATES") == "self-managed"

    @property
    def certificate_secret(self) -> str:
        """Name of the Secret of a self-managed certificate."""
        return self.environment.get("FASTLOAD_CERTIFICATE_SECRET") or "fastload-tls"

    @property
    def cache_claim(self) -> str:
        """Claim for compile caches where there is no hostPath; "" without."""
        return self.environment.get("FASTLOAD_CACHE_CLAIM", "")

    @property
    def pod_security_default(self) -> str:
        """Pod Security level of namespaces that name none."""
        return self.environment.get("FASTLOAD_POD_SECURITY_DEFAULT") or "privileged"

    @property
    def admin_port(self) -> str:
        """Port of previews."""
        return self.environment.get("FASTLOAD_ADMIN_PORT") or "8080"

    @property
    def deadline_seconds(self) -> float:
        """How long a review waits for its look-ups."""
        try:
            return float(self.environment.get("FASTLOAD_DEADLINE_SECONDS") or 2)
        except ValueError:
            return 2.0


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was read. What could not be read is an `Unread`, what does not exist is None."""

    now: dt.datetime
    place: Place
    kubernetes: Version | Unread
    mutating: tuple[WebhookConfiguration, ...] | Unread
    validating: tuple[WebhookConfiguration, ...] | Unread
    deployment: Deployment | Unread | None
    service: Service | Unread | None
    slices: tuple[EndpointSlice, ...] | Unread
    own_pods: tuple[Pod, ...] | Unread
    # PEM of the serving certificate and its chain.
    certificate: bytes | Unread | None
    # PEM of the one that will be served next; None where no renewal is under way.
    next_certificate: bytes | None
    namespaces: tuple[Object, ...] | Unread
    # Of every kind that is read, the workloads, or why they could not be.
    workloads: Mapping[str, tuple[Workload, ...] | Unread]
    pods: tuple[Pod, ...] | Unread
    # Empty where no Deployment names a service account.
    access: tuple[Access, ...] | Unread
    probe: Probe | Unread
    # None where no pod has a model that could be asked about.
    asked: Asked | Unread | None

    @property
    def container(self) -> Container | None:
        """The container that runs fastload."""
        return container_of(self.deployment)

    @property
    def settings(self) -> Settings:
        """The settings of the installed fastload."""
        return settings_of(self.deployment)


def container_of(deployment: Deployment | Unread | None) -> Container | None:
    """Returns the container of a Deployment that runs fastload, the first where none has its name."""
    if not isinstance(deployment, Deployment):
        return None
    containers = deployment.spec.template.spec.containers
    return next((each for each in containers if each.name == "fastload"), containers[0] if containers else None)


def settings_of(deployment: Deployment | Unread | None) -> Settings:
    """Returns the settings that a Deployment gives; the defaults where there is none."""
    container = container_of(deployment)
    return Settings({each.name: each.value for each in (container.env if container else None) or () if each.value})
