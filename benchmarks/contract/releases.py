"""Which releases are checked: the newest of each engine and two before, and the streamers that fastload tells apart."""

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

# One for each family of the plan's versions, and the streamer that the published figures are of.
_STREAMERS = ("0.13.4", "0.15.9", "0.16.1", "0.17.1")
_RELEASES = 3
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:\.post\d+)?")


class ReleaseError(RuntimeError):
    """A release could not be found or fetched; the message says which, and ends with what pip said."""


class Project(StrEnum):
    """What is released under one version number."""

    VLLM = "vllm"
    SGLANG = "sglang"
    STREAMER = "streamer"

    @property
    def label(self) -> str:
        """Its name as it is written."""
        return _LABELS[self]

    @property
    def packages(self) -> tuple[str, ...]:
        """The names that it is released under, the leading one first."""
        return _PACKAGES[self]


_LABELS = {Project.VLLM: "vLLM", Project.SGLANG: "SGLang", Project.STREAMER: "Run:ai Model Streamer"}
_PACKAGES = {
    Project.VLLM: ("vllm",),
    Project.SGLANG: ("sglang",),
    Project.STREAMER: ("runai-model-streamer", "runai-model-streamer-s3"),
}
# How many numbers of a version tell one release line from the next: SGLang has been 0.5 for a year.
_LINE_NUMBERS = {Project.VLLM: 2, Project.SGLANG: 3}


@dataclass(frozen=True)
class Release:
    """One version of a project."""

    project: Project
    version: str

    def __str__(self) -> str:
        return f"{self.project.label} {self.version}"


def releases(listed: Callable[[str], Sequence[str]] | None = None) -> tuple[Release, ...]:
    """Returns what is to be checked, the newest of each project first.

    Args:
        listed: gives a package's released versions, newest first; by default pip asks its index.

    Raises:
        ReleaseError: pip could not tell.
    """
    listed = listed or _listed
    found = []
    for project in Project:
        versions = listed(project.packages[0])
        chosen = _wanted_streamers(versions) if project is Project.STREAMER else _newest(project, versions)
        found += [Release(project, version) for version in chosen]
    return tuple(found)


def streamers(listed: Callable[[str], Sequence[str]] | None = None) -> tuple[str, ...]:
    """Returns the versions of the streamer that are told apart, the newest first; arguments as for `releases`.

    Raises:
        ReleaseError: pip could not tell which is the newest.
    """
    return tuple(_wanted_streamers((listed or _listed)(Project.STREAMER.packages[0])))


def _newest(project: Project, versions: Sequence[str]) -> list[str]:
    """The newest version of each of the newest release lines."""
    lines: dict[tuple[str, ...], str] = {}
    for version in versions:
        numbers = _VERSION.fullmatch(version)
        if numbers is not None:
            lines.setdefault(numbers.groups()[: _LINE_NUMBERS[project]], version)
    return list(lines.values())[:_RELEASES]


def _wanted_streamers(versions: Sequence[str]) -> list[str]:
    return list(dict.fromkeys((versions[0], *reversed(_STREAMERS))))


def _listed(package: str) -> Sequence[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "index", "versions", package], capture_output=True, text=True, check=False
    )
    said = re.search(r"^Available versions: (.+)$", done.stdout, re.MULTILINE)
    if said is None:
        raise ReleaseError(f"which versions of {package} there are is not known; pip said:\n{done.stderr.strip()}")
    return said[1].split(", ")
