"""What is read of the objects that fastload is made of: partial views, which pass over every key and token."""

import msgspec

from webhook.doctor.views import Object, View


class EnvEntry(View, frozen=True, kw_only=True):
    """A variable of a container, if its value stands in the pod."""

    name: str = ""
    value: str | None = None


class Container(View, frozen=True, kw_only=True):
    """A container of fastload's own pods."""

    name: str = ""
    image: str = ""
    env: tuple[EnvEntry, ...] | None = None


class SecretVolume(View, frozen=True, kw_only=True):
    """The Secret behind a volume."""

    secret_name: str = ""


class Volume(View, frozen=True, kw_only=True):
    """A volume."""

    name: str = ""
    secret: SecretVolume | None = None


class PodSpec(View, frozen=True, kw_only=True):
    """What is read of the template of fastload's own pods."""

    service_account_name: str = "default"
    containers: tuple[Container, ...] = ()
    volumes: tuple[Volume, ...] | None = None


class Template(View, frozen=True, kw_only=True):
    """The template of fastload's own pods."""

    spec: PodSpec = PodSpec()


class DeploymentSpec(View, frozen=True, kw_only=True):
    """What is read of a Deployment's specification."""

    replicas: int = 1
    template: Template = Template()


class DeploymentStatus(View, frozen=True, kw_only=True):
    """What is read of a Deployment's status."""

    ready_replicas: int = 0
    updated_replicas: int = 0


class Deployment(Object, frozen=True, kw_only=True):
    """fastload's own Deployment."""

    spec: DeploymentSpec = DeploymentSpec()
    status: DeploymentStatus = DeploymentStatus()


class ServicePort(View, frozen=True, kw_only=True):
    """A port of a Service."""

    name: str = ""
    port: int = 0


class ServiceSpec(View, frozen=True, kw_only=True):
    """What is read of a Service's specification."""

    ports: tuple[ServicePort, ...] | None = None
    selector: dict[str, str] | None = None


class Service(Object, frozen=True, kw_only=True):
    """fastload's own Service."""

    spec: ServiceSpec = ServiceSpec()


class EndpointConditions(View, frozen=True, kw_only=True):
    """Whether an endpoint takes calls; unknown counts as yes, as the API has it."""

    ready: bool | None = None


class Endpoint(View, frozen=True, kw_only=True):
    """A pod behind a Service."""

    conditions: EndpointConditions = EndpointConditions()


class EndpointSlice(Object, frozen=True, kw_only=True):
    """Some of the pods behind a Service."""

    endpoints: tuple[Endpoint, ...] | None = None


class CertificateData(msgspec.Struct, frozen=True):
    """The certificates in a Secret, in base64: the serving one, and the next of a renewal. Keys are passed over."""

    certificate: str = msgspec.field(name="tls.crt", default="")
    following: str = msgspec.field(name="next.crt", default="")


class CertificateSecret(Object, frozen=True, kw_only=True):
    """The Secret that the serving certificate is in."""

    data: CertificateData | None = None
