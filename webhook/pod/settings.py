"""Settings of reading a pod."""

from typing import Annotated

import msgspec


class PodSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How annotations are recognised."""

    annotation_prefix: Annotated[
        str,
        msgspec.Meta(
            description="Prefix of every annotation and of the namespace label. The webhooks go by it too, "
            "so the chart sets it for both, by its value annotationPrefix.",
            pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
        ),
    ] = "fastload.dev"
