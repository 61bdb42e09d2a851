"""What fastload knows of the engines, read from its own code: names it sets or heeds, flags it acts on."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchmarks.contract.releases import Project
from webhook.plan import names
from webhook.plan.cache_names import ASSETS_NAME, cache_settings
from webhook.pod.commandline import Grammar
from webhook.pod.engines.sglang_options import SGLANG
from webhook.pod.engines.vllm_options import VLLM
from webhook.pod.facts import Engine

_WEBHOOK = Path(names.__file__).parents[1]
_ROOMS = ("pod/**/*.py", "plan/**/*.py", "lookup/**/*.py")
_READERS = {
    Project.VLLM: ("pod/engines/reading.py", "pod/engines/vllm.py"),
    Project.SGLANG: ("pod/engines/reading.py", "pod/engines/sglang.py"),
}
_STREAMER_SETS = (
    *(names.CHUNK, names.CONCURRENCY, names.MEMORY_LIMIT),
    *(names.REQUEST_TIMEOUT, names.LOW_SPEED_LIMIT, names.RESUBMIT_WINDOW),
)
_OWN = {
    Project.VLLM: re.compile(r"VLLM_\w*[A-Z0-9]"),
    Project.SGLANG: re.compile(r"SGL(?:ANG)?_\w*[A-Z0-9]"),
    Project.STREAMER: re.compile(r"RUNAI_STREAMER_\w*[A-Z0-9]"),
}
_FLAG = re.compile(r"--?[A-Za-z][a-z-]*")

ENGINES = {Project.VLLM: Engine.VLLM, Project.SGLANG: Engine.SGLANG}
GRAMMARS: dict[Project, Grammar] = {Project.VLLM: VLLM, Project.SGLANG: SGLANG}


class Use(StrEnum):
    """What fastload does with a name."""

    SET = "set"
    SET_FOR_LIBRARY = "set, for a library"
    HEEDED = "heeded"


@dataclass(frozen=True)
class Name:
    """An environment variable that fastload knows, and what it does with it."""

    name: str
    use: Use


def known_names(project: Project) -> tuple[Name, ...]:
    """Returns the names of a project that fastload sets or heeds, those that it sets first."""
    own = _OWN[project]
    sets = injected(project)
    found = [Name(name, Use.SET if own.fullmatch(name) else Use.SET_FOR_LIBRARY) for name in sets]
    heeded = {text for text in _texts(*_ROOMS) if own.fullmatch(text)}
    return (*found, *(Name(name, Use.HEEDED) for name in sorted(heeded.difference(sets))))


def injected(project: Project) -> tuple[str, ...]:
    """Returns the names that fastload may set for a project, in order."""
    if project is Project.STREAMER:
        return _STREAMER_SETS
    chosen = tuple(setting.name for setting in cache_settings(ENGINES[project]))
    return (*chosen, ASSETS_NAME) if project is Project.VLLM else chosen


def acted_on(project: Project) -> tuple[str, ...]:
    """Returns the flags of an engine that the readers of launch lines look at."""
    options = GRAMMARS[project].options
    found = {text for text in _texts(*_READERS[project]) if _FLAG.fullmatch(text) and text in options}
    return tuple(sorted(found))


def _texts(*patterns: str) -> Iterator[str]:
    """Every text in some of fastload's own files."""
    for pattern in patterns:
        for path in sorted(_WEBHOOK.glob(pattern)):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value
