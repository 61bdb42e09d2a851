"""Settings of taking a review."""

from typing import Annotated

import msgspec


class AdmissionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a request is read, and for how long."""

    # etcd takes objects of 1.5 MiB at the most, and a review may carry the old object beside the new one.
    body_limit_bytes: Annotated[int, msgspec.Meta(description="Largest review that is read, in bytes.", gt=0)] = (
        3 * 1024 * 1024
    )
    body_seconds: Annotated[
        float, msgspec.Meta(description="How long a review's body may take to arrive, in seconds.", gt=0)
    ] = 2.0
