"""Settings of previews over HTTP: how much of one is read, for how long it may go on, and how many at a time."""

from typing import Annotated

import msgspec


class PreviewSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of `POST /preview`, so that previews cannot crowd out reviews."""

    preview_limit_bytes: Annotated[
        int, msgspec.Meta(description="Largest manifest that `POST /preview` reads, in bytes.", gt=0, le=16 * 2**20)
    ] = 6 * 2**20
    preview_seconds: Annotated[
        float, msgspec.Meta(description="How long one preview may take, its body's arrival aside.", gt=0)
    ] = 20.0
    previews_at_once: Annotated[
        int, msgspec.Meta(description="How many previews run at a time; one more is told to come again.", gt=0)
    ] = 2
    preview_hosts: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="Names under which the page may be opened, besides localhost, addresses and names inside the "
            "cluster; shell-style patterns. Others are refused, for they may be another site's."
        ),
    ] = ()
