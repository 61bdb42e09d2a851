"""Settings of reading a pod."""

from typing import Annotated

import msgspec


class PodSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How annotations are recognised."""

    annotation_prefix: Annotated[
        str,
        msgspec.Meta(
            description="Prefix of every annotation and of the namespace label. It stands in both webhooks of "
            "deploy/install.yaml too (matchConditions, namespaceSelector): change it there as well.",
            pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
        ),
    ] = "fastload.dev"
