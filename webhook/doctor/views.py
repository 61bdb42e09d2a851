"""What is read of the API server's objects: partial views."""

from typing import Any

import msgspec


class View(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A part of an object as the API has it."""


class Owner(View, frozen=True, kw_only=True):
    """Who made an object."""

    controller: bool | None = None


class Metadata(View, frozen=True, kw_only=True):
    """What is read of an object's metadata."""

    name: str = ""
    namespace: str = ""
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: tuple[Owner, ...] | None = None
    deletion_timestamp: str | None = None

    @property
    def where(self) -> str:
        """Namespace and name, as one word."""
        return f"{self.namespace}/{self.name}"


class Object(View, frozen=True, kw_only=True):
    """Any object."""

    metadata: Metadata = Metadata()


class Requirement(View, frozen=True, kw_only=True):
    """A requirement of a label selector."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] | None = None

    def admits(self, labels: dict[str, str]) -> bool:
        """Tells whether an object with these labels meets it."""
        value, values = labels.get(self.key), self.values or ()
        match self.operator:
            case "In":
                return value in values
            case "NotIn":
                return value not in values
            case "Exists":
                return value is not None
            case _:
                return value is None


class Selector(View, frozen=True, kw_only=True):
    """A label selector."""

    match_labels: dict[str, str] | None = None
    match_expressions: tuple[Requirement, ...] | None = None

    def admits(self, labels: dict[str, str]) -> bool:
        """Tells whether it selects an object with these labels."""
        return all(labels.get(key) == value for key, value in (self.match_labels or {}).items()) and all(
            each.admits(labels) for each in self.match_expressions or ()
        )


class ServiceReference(View, frozen=True, kw_only=True):
    """Where a webhook is called."""

    name: str = ""
    namespace: str = ""
    path: str | None = None
    port: int | None = None


class ClientConfig(View, frozen=True, kw_only=True):
    """How a webhook is called. The bundle is PEM in base64."""

    service: ServiceReference | None = None
    url: str | None = None
    ca_bundle: str | None = None


class Condition(View, frozen=True, kw_only=True):
    """A match condition of a webhook."""

    expression: str = ""


class Webhook(View, frozen=True, kw_only=True):
    """One webhook of a configuration. What is absent has the API's own default."""

    name: str = ""
    client_config: ClientConfig = ClientConfig()
    failure_policy: str = "Fail"
    timeout_seconds: int = 10
    namespace_selector: Selector | None = None
    match_conditions: tuple[Condition, ...] | None = None


class WebhookConfiguration(Object, frozen=True, kw_only=True):
    """A mutating or a validating webhook configuration."""

    webhooks: tuple[Webhook, ...] | None = None


class Waiting(View, frozen=True, kw_only=True):
    """Why a container does not run."""

    reason: str = ""


class ContainerState(View, frozen=True, kw_only=True):
    """What a container does."""

    waiting: Waiting | None = None


class ContainerStatus(View, frozen=True, kw_only=True):
    """A container's status."""

    name: str = ""
    ready: bool = False
    restart_count: int = 0
    state: ContainerState = ContainerState()


class PodStatus(View, frozen=True, kw_only=True):
    """What is read of a pod's status."""

    phase: str = ""
    container_statuses: tuple[ContainerStatus, ...] | None = None


class Pod(Object, frozen=True, kw_only=True):
    """Anybody's pod, as far as it says what fastload did to it."""

    status: PodStatus = PodStatus()


class Workload(Object, frozen=True, kw_only=True):
    """A workload, with its specification as it is: that holds the pod templates."""

    spec: dict[str, Any] | None = None


class Version(View, frozen=True, kw_only=True):
    """What the API server says that it is."""

    git_version: str = ""
    major: str = ""
    minor: str = ""
