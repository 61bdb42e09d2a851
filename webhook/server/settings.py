"""Settings of the server itself, and the whole that all rooms' settings make together.

Each setting is a field of one room's Struct, with its default, its bounds and its description;
`webhook.server.declared` turns a field into an environment variable, a flag and a row of the docs.
"""

from enum import StrEnum
from typing import Annotated

import msgspec

from webhook.admission.settings import AdmissionSettings
from webhook.certificates.settings import CertificateSettings
from webhook.lookup.facts import PodSecurity
from webhook.lookup.settings import LookupSettings
from webhook.lookup.stores import NamespaceRules
from webhook.plan.settings import PlanSettings
from webhook.pod.settings import PodSettings
from webhook.preview.settings import PreviewSettings

_Port = Annotated[int, msgspec.Meta(ge=0, le=65_535)]


class LogFormat(StrEnum):
    """How a log line is written."""

    JSON = "json"
    TEXT = "text"


class LogLevel(StrEnum):
    """The least severe lines that are written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class ClusterMode(StrEnum):
    """Whether the cluster's API is asked about namespaces, nodes and NodePools."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the server listens, its certificate, its logs, and how it stops. Times are in seconds."""

    host: Annotated[
        str | None,
        msgspec.Meta(description="Address both ports listen on; without one, every address, IPv4 and IPv6."),
    ] = None
    # Not `port`: the kubelet sets FASTLOAD_PORT=tcp://... in every pod beside a Service named fastload.
    review_port: Annotated[_Port, msgspec.Meta(description="HTTPS port of the reviews; 0 takes a free one.")] = 8443
    admin_port: Annotated[
        _Port,
        msgspec.Meta(description="Plain HTTP port of health, readiness, metrics and previews; 0 takes a free one."),
    ] = 8080
    tls_certificate: Annotated[
        str, msgspec.Meta(description="PEM file of the serving certificate, its chain behind it.")
    ] = "/etc/fastload/tls/tls.crt"
    tls_key: Annotated[str, msgspec.Meta(description="PEM file of the certificate's private key.")] = (
        "/etc/fastload/tls/tls.key"
    )
    tls_reload_seconds: Annotated[
        float, msgspec.Meta(description="How often the certificate's files are looked at for a change.", gt=0)
    ] = 10.0
    kubernetes: Annotated[
        ClusterMode,
        msgspec.Meta(
            description="Whether namespaces, nodes and NodePools are watched: `auto` does so inside a cluster, `on` "
            "also with a kubeconfig, `off` never."
        ),
    ] = ClusterMode.AUTO
    ready_seconds: Annotated[
        float,
        msgspec.Meta(description="How long readiness waits for the watches to fill; then reviews go without.", ge=0),
    ] = 20.0
    drain_seconds: Annotated[
        float,
        msgspec.Meta(
            description="How long reviews are still taken after SIGTERM, so that the Service can forget the pod.", ge=0
        ),
    ] = 5.0
    log_level: Annotated[LogLevel, msgspec.Meta(description="The least severe lines that are logged.")] = LogLevel.INFO
    log_format: Annotated[
        LogFormat, msgspec.Meta(description="One JSON object a line, or text for a person at a terminal.")
    ] = LogFormat.JSON


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Every setting, by room."""

    server: ServerSettings = ServerSettings()
    certificates: CertificateSettings = CertificateSettings()
    admission: AdmissionSettings = AdmissionSettings()
    preview: PreviewSettings = PreviewSettings()
    pod: PodSettings = PodSettings()
    lookup: LookupSettings = LookupSettings()
    plan: PlanSettings = PlanSettings()

    def namespace_rules(self) -> NamespaceRules:
        """Returns how a namespace's labels are read."""
        return NamespaceRules(
            prefix=self.pod.annotation_prefix, pod_security=PodSecurity(self.lookup.pod_security_default)
        )
