"""Which Run:ai streamer an image may have: told by annotation, by the operator's table of images, or unknown.

vLLM and SGLang ask for the streamer without pinning it, so an image has whatever was newest when it was built. Where
nothing tells, every family counts as possible, and a rule must hold for all of them.
"""

from enum import Enum
from fnmatch import fnmatchcase
from functools import lru_cache

Version = tuple[int, int, int]


class Family(Enum):
    """Versions of the streamer that keep requests in flight in the same way (the streamer's source; measured)."""

    UNTARGETED = "0.14 and older"  # a worker asks for all its chunks at once, and S3_TARGET_GBPS is not read
    UNBOUNDED = "0.15"  # the same, but that the target is read
    WINDOWED = "0.16"  # a worker asks for as many chunks as fit a window of bytes
    RING = "0.17 and newer"  # the same window, and a ring of buffers that are filled side by side

    @property
    def windowed(self) -> bool:
        """Whether a window of bytes bounds what a worker asks for."""
        return self in {Family.WINDOWED, Family.RING}


ALL_FAMILIES = tuple(Family)

# S3_TIMEOUT, OBJ_CONCURRENCY and RING_BUFFERS came with this version (names found in the released packages).
RESUBMITS_FROM: Version = (0, 17, 0)


def streamer_version(annotated: Version | None, image: str | None, table: tuple[str, ...]) -> Version | None:
    """Returns the streamer's version: as annotated, else of the first PATTERN=VERSION that matches the image."""
    if annotated is not None or image is None:
        return annotated
    return next((version for pattern, version in _parsed(table) if fnmatchcase(image, pattern)), None)


def families(version: Version | None) -> tuple[Family, ...]:
    """Returns the families that a streamer of this version may belong to; all of them where it is unknown."""
    if version is None:
        return ALL_FAMILIES
    if version >= (0, 17, 0):
        return (Family.RING,)
    if version >= (0, 16, 0):
        return (Family.WINDOWED,)
    return (Family.UNBOUNDED,) if version >= (0, 15, 0) else (Family.UNTARGETED,)


def spell(version: Version) -> str:
    """Writes a version as people do: 0.15.9."""
    return ".".join(map(str, version))


@lru_cache(maxsize=8)
def _parsed(table: tuple[str, ...]) -> tuple[tuple[str, Version], ...]:
    return tuple(_entry(entry) for entry in table)


def _entry(entry: str) -> tuple[str, Version]:
    pattern, _, version = entry.rpartition("=")
    major, minor, patch, *_ = (*map(int, version.split(".")), 0, 0)
    return pattern, (major, minor, patch)
