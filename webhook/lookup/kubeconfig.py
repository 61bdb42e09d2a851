"""Which cluster, user and namespace a kubeconfig leads to, read as kubectl reads it.

The `kubernetes` package takes the last of several files' current contexts, kubectl the first, so the choice is made
here and handed to it.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import yaml

from webhook.lookup.watching import KubeError

_DEFAULT = "~/.kube/config"


class KubeContext(msgspec.Struct, frozen=True, kw_only=True):
    """A context, and the kubeconfig files that it stands in or is completed by; `namespace` is None if it has none."""

    name: str
    namespace: str | None
    files: tuple[str, ...]


class _Body(msgspec.Struct, frozen=True):
    namespace: str | None = None


class _Context(msgspec.Struct, frozen=True):
    name: str
    context: _Body | None = None


class _File(msgspec.Struct, frozen=True):
    current_context: str | None = msgspec.field(name="current-context", default=None)
    contexts: tuple[_Context, ...] | None = None


def find_context(environ: Mapping[str, str], file: str | None = None, name: str | None = None) -> KubeContext:
    """Finds a context: by its name or the current one; in the file, else KUBECONFIG's files, else ~/.kube/config.

    Raises:
        KubeError: there is no such file or context, or a file cannot be read; the message says which.
    """
    read = dict(_read_all([file] if file else _listed(environ)))
    files = ", ".join(read)
    contexts = [context for each in read.values() for context in each.contexts or ()]
    name = name or next((each.current_context for each in read.values() if each.current_context), None)
    if name is None:
        raise KubeError(f"the kubeconfig {files} has no current context; it has {_names(contexts)}")
    found = next((context for context in contexts if context.name == name), None)
    if found is None:
        raise KubeError(f"the kubeconfig {files} has no context {name!r}; it has {_names(contexts)}")
    namespace = found.context.namespace if found.context else None
    return KubeContext(name=name, namespace=namespace or None, files=tuple(read))


def _listed(environ: Mapping[str, str]) -> list[str]:
    """Returns the files that stand for a kubeconfig; of several, those that are not there do not count."""
    listed = [each for each in environ.get("KUBECONFIG", "").split(os.pathsep) if each] or [_DEFAULT]
    return [each for each in listed if Path(each).expanduser().exists()] or listed[:1]


def _read_all(files: list[str]) -> Iterator[tuple[str, _File]]:
    for file in files:
        path = Path(file).expanduser()
        try:
            content = yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
            yield str(path), msgspec.convert(content or {}, _File)
        except OSError as error:
            raise KubeError(f"the kubeconfig {path}: {(error.strerror or str(error)).lower()}") from error
        except (ValueError, yaml.YAMLError) as error:  # whose text may hold a part of the file
            raise KubeError(f"the kubeconfig {path} is none: {type(error).__name__}") from error


def _names(contexts: list[_Context]) -> str:
    return ", ".join(context.name for context in contexts) or "none"
