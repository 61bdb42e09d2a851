"""Settings of the certificates that fastload keeps by itself."""

from enum import StrEnum
from typing import Annotated

import msgspec

_Name = Annotated[str, msgspec.Meta(min_length=1)]


class CertificateSource(StrEnum):
    """Where the serving certificate comes from."""

    FILES = "files"
    SELF_MANAGED = "self-managed"


class CertificateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the serving certificate comes from, and how fastload keeps one by itself."""

    certificates: Annotated[
        CertificateSource,
        msgspec.Meta(
            description="Where the serving certificate comes from: `files` that somebody else writes and renews, or "
            "`self-managed`: fastload makes it, keeps it in a Secret, renews it and has the API server trust it."
        ),
    ] = CertificateSource.FILES
    certificate_namespace: Annotated[
        _Name, msgspec.Meta(description="Self-managed: namespace of the Secret and of the Lease.")
    ] = "fastload"
    certificate_secret: Annotated[
        _Name,
        msgspec.Meta(description="Self-managed: name of the Secret, and of the Lease of the replica that renews."),
    ] = "fastload-tls"  # noqa: S105 (a name)
    certificate_names: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="Self-managed: DNS names that the API server calls, SERVICE.NAMESPACE.svc.", min_length=1
        ),
    ] = ("fastload.fastload.svc",)
    certificate_webhooks: Annotated[
        tuple[
            Annotated[
                str,
                msgspec.Meta(
                    title="KIND/NAME, where KIND is mutatingwebhookconfiguration or validatingwebhookconfiguration",
                    pattern="^(mutating|validating)webhookconfiguration/[^/]+$",
                ),
            ],
            ...,
        ],
        msgspec.Meta(
            description="Self-managed: webhook configurations whose `caBundle` is kept. One that does not exist is "
            "passed over."
        ),
    ] = ("mutatingwebhookconfiguration/fastload", "validatingwebhookconfiguration/fastload")
    certificate_hours: Annotated[
        float,
        msgspec.Meta(
            description="Self-managed: life of a certificate, in hours; it is renewed after two thirds.", gt=0
        ),
    ] = 2160.0
    certificate_settle_seconds: Annotated[
        float,
        msgspec.Meta(
            description="Self-managed: how long a new authority is trusted before its certificate is served, so that "
            "every API server has heard of it. Never more than a twelfth of a certificate's life.",
            ge=0,
        ),
    ] = 300.0
    certificate_poll_seconds: Annotated[
        float,
        msgspec.Meta(
            description="Self-managed: how often the Secret and the webhook configurations are looked at; a `caBundle` "
            "that somebody wiped is back after this time.",
            gt=0,
        ),
    ] = 5.0
