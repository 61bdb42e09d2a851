"""The defaults and fixed texts that the plan relies on, beside what the releases say.

The streamer's default concurrency and chunk size, and the time-outs, are compiled into its libraries and cannot be read
there; they were measured (docs/tuning.md).
"""

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import msgspec

from benchmarks.contract.releases import Project
from benchmarks.contract.sources import Sources
from webhook.plan.cache_user import DEFAULT_FOLDERS
from webhook.plan.inflight import DEFAULT_MEMORY_LIMIT, Knobs
from webhook.plan.reading import STREAMED_FORMATS
from webhook.pod.facts import Engine, LoaderConfig
from webhook.pod.stores import STORES

_RING = "runai_model_streamer/file_streamer/requests_iterator.py"
_VLLM_LOADER = "vllm/model_executor/model_loader/runai_streamer_loader.py"
_VLLM_FORMATS = "vllm/model_executor/model_loader/__init__.py"
# `pattern` is the sharded format's, which has another loader.
_LOADER_KEYS = frozenset(field.name for field in msgspec.structs.fields(LoaderConfig)) - {"pattern", "readable"}


@dataclass(frozen=True)
class Default:
    """One thing that the plan relies on: what it takes it to be, and how a release is asked.

    `read` returns the release's own, as text, and where it stands; None where the release has no such thing.
    `why` says why older releases may differ; it is empty where they may not.
    """

    what: str
    ours: str
    read: Callable[[Sources], tuple[str, str] | None]
    why: str = ""


def defaults_of(project: Project) -> tuple[Default, ...]:
    """Returns what the plan relies on in a project's releases."""
    return _DEFAULTS[project]


def _constant(file: str, name: str) -> Callable[[Sources], tuple[str, str] | None]:
    """Reads a module's constant."""

    def read(sources: Sources) -> tuple[str, str] | None:
        path = sources.folder / file
        for node in sources.tree(path).body if path.is_file() else ():
            match node:
                case ast.Assign(targets=[ast.Name(id=found)], value=ast.Constant(value=value)) if found == name:
                    return str(value), sources.place(path, node.lineno)
        return None

    return read


def _texts_in(file: str, is_it: Callable[[ast.AST], ast.expr | None]) -> Callable[[Sources], tuple[str, str] | None]:
    """Reads all texts of the first expression that is it, in order of names."""

    def read(sources: Sources) -> tuple[str, str] | None:
        for path in sources.files(file):
            for node in ast.walk(sources.tree(path)):
                found = is_it(node)
                if found is not None:
                    return _joined(_texts(found)), sources.place(path, found.lineno)
        return None

    return read


def _texts(node: ast.expr) -> list[str]:
    return [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(sorted(set(texts)))


def _assigned(name: str) -> Callable[[ast.AST], ast.expr | None]:
    def is_it(node: ast.AST) -> ast.expr | None:
        match node:
            case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                return value
        return None

    return is_it


def _keys_of(loader: str) -> Callable[[ast.AST], ast.expr | None]:
    """The keys that a class allows in its JSON."""

    def is_it(node: ast.AST) -> ast.expr | None:
        if not isinstance(node, ast.ClassDef) or node.name != loader:
            return None
        return next(filter(None, map(_assigned("allowed_keys"), ast.walk(node))), None)

    return is_it


def _entry(name: str) -> Callable[[ast.AST], ast.expr | None]:
    """The value of one key of a dictionary."""

    def is_it(node: ast.AST) -> ast.expr | None:
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == name:
                    return value
        return None

    return is_it


def _streamed_formats(sources: Sources) -> tuple[str, str] | None:
    read = _texts_in(_VLLM_FORMATS, _assigned("LoadFormats"))(sources)
    return None if read is None else (_joined(set(read[0].split(", ")) & STREAMED_FORMATS), read[1])


_FOLDER = f"~/.cache/{DEFAULT_FOLDERS[Engine.SGLANG]}"
_SCHEMES = _joined(f"{store}://" for store in STORES)
_DEFAULTS: dict[Project, tuple[Default, ...]] = {
    Project.STREAMER: (
        Default(
            "memory limit, bytes",
            str(DEFAULT_MEMORY_LIMIT),
            _constant(_RING, "DEFAULT_MEMORY_LIMIT_STRING"),
            why="a smaller buffer takes less memory and keeps no more requests in flight",
        ),
        Default("buffers of the ring", str(Knobs().ring_buffers), _constant(_RING, "DEFAULT_RING_BUFFERS")),
    ),
    Project.VLLM: (
        Default(
            "cache folder, below ~/.cache",
            _joined(("VLLM_CACHE_ROOT", DEFAULT_FOLDERS[Engine.VLLM])),
            _texts_in("vllm/envs.py", _entry("VLLM_CACHE_ROOT")),
        ),
        Default(
            "assets' folder, below ~/.cache and not below VLLM_CACHE_ROOT",
            _joined(("VLLM_ASSETS_CACHE", DEFAULT_FOLDERS[Engine.VLLM], "assets")),
            _texts_in("vllm/envs.py", _entry("VLLM_ASSETS_CACHE")),
        ),
        Default("load formats that stream", _joined(STREAMED_FORMATS), _streamed_formats),
        Default("keys of the loader's JSON", _joined(_LOADER_KEYS), _texts_in(_VLLM_LOADER, _assigned("allowed_keys"))),
        Default(
            "object stores",
            _SCHEMES,
            _texts_in("vllm/transformers_utils/runai_utils.py", _assigned("SUPPORTED_SCHEMES")),
        ),
    ),
    Project.SGLANG: (
        Default("cache folder", _FOLDER, _texts_in("sglang/srt/environ.py", _assigned("SGLANG_CACHE_DIR"))),
        Default(
            "keys of the loader's JSON",
            _joined(_LOADER_KEYS),
            _texts_in("sglang/srt/model_loader/loader.py", _keys_of("RunaiModelStreamerLoader")),
        ),
        Default(
            "object stores", _SCHEMES, _texts_in("sglang/srt/utils/runai_utils.py", _assigned("SUPPORTED_SCHEMES"))
        ),
    ),
}
