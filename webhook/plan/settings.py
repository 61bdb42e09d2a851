"""Settings of the plan: the operator's choices, each declared once."""

from enum import StrEnum
from itertools import permutations
from typing import Annotated

import msgspec

from webhook.plan.paths import lies_in
from webhook.pod.facts import Feature


class ChunkPolicy(StrEnum):
    """Whether the published 4 GiB chunk is set."""

    AUTO = "auto"
    OFF = "off"
    PUBLISHED = "published"


# The API server refuses a hostPath with `..` in it.
_Folder = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(/(?!\.\.?(/|$))[^/]+)+$",
        title="an absolute path without `.`, `..`, `//` or a slash at its end",
    ),
]


class PlanSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the plan may do, and what it takes for granted about nodes and images."""

    features: Annotated[
        tuple[Feature, ...],
        msgspec.Meta(
            description="The parts that are used at all; a pod's annotation can only leave out more. Without `cache` "
            "no pod gets a volume of ours."
        ),
    ] = tuple(Feature)
    chunk: Annotated[
        ChunkPolicy,
        msgspec.Meta(
            description="Whether the published 4 GiB chunk is set: `auto` where it was measured to help, which it was "
            "in no version so far; `off` never; `published` where each worker has a whole chunk to read and the buffer "
            "room for enough, in any version."
        ),
    ] = ChunkPolicy.AUTO
    streamer_versions: Annotated[
        tuple[Annotated[str, msgspec.Meta(pattern=r"^.+=\d+(\.\d+){0,2}$")], ...],
        msgspec.Meta(description="What the operator knows of images: PATTERN=VERSION, first match wins."),
    ] = ()
    cache_roots: Annotated[
        Annotated[tuple[_Folder, ...], msgspec.Meta(min_length=1)],
        msgspec.Meta(
            description="Folders on the node below which a compile cache may lie, none within another; the first, "
            "unless an annotation names a path below one of them."
        ),
    ] = ("/mnt/k8s-disks/0/fastload",)
    cache_claim: Annotated[
        str | None,
        msgspec.Meta(
            description="Claim used for the cache where a hostPath is impossible; it must exist in the namespace."
        ),
    ] = None
    cache_on_root_volume: Annotated[
        bool, msgspec.Meta(description="Whether a node without an instance store keeps the cache on its root volume.")
    ] = True
    cache_init_container: Annotated[
        bool,
        msgspec.Meta(description="Whether an init container may make the cache folder writable for a non-root engine."),
    ] = True
    root_images: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="Images known to run as root when the pod does not say; shell-style patterns of a repository, "
            "or of the image with its tag or digest."
        ),
    ] = ("vllm/vllm-openai", "*/vllm/vllm-openai", "lmsysorg/sglang", "*/lmsysorg/sglang")
    shellless_images: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="Images known to have no shell, in which no init container can make a cache folder writable; "
            "patterns as for root images."
        ),
    ] = ("cgr.dev/*", "gcr.io/distroless/*", "dhi.io/*", "*distroless*")
    open_files: Annotated[
        int, msgspec.Meta(description="Hard limit of open files in a container on the cluster's nodes.", ge=1024)
    ] = 65_536

    def __post_init__(self) -> None:
        """Refuses roots within one another: a namespace's folder below the outer one could be the inner root."""
        for one, other in permutations(self.cache_roots, 2):
            if lies_in(one, other):
                raise ValueError(f"cache roots: {one} lies in {other}; name folders beside one another")
