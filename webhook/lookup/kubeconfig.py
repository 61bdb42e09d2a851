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
    """A context, and the kubeconfig files that it stands in or is completed by; `namespace` is None if it has none.

    `login` is the command that gives its user's credentials, None where they are in the kubeconfig.
    """

    name: str
    namespace: str | None
    files: tuple[str, ...]
    login: str | None = None


class _Body(msgspec.Struct, frozen=True):
    cluster: str = ""
    user: str | None = None
    namespace: str | None = None


class _Context(msgspec.Struct, frozen=True):
    name: str
    context: _Body | None = None


class _Server(msgspec.Struct, frozen=True):
    server: str = ""


class _Cluster(msgspec.Struct, frozen=True):
    name: str
    cluster: _Server | None = None


class _Exec(msgspec.Struct, frozen=True):
    command: str = ""


class _Credentials(msgspec.Struct, frozen=True):
    exec: _Exec | None = None


class _User(msgspec.Struct, frozen=True):
    name: str
    user: _Credentials | None = None


class _File(msgspec.Struct, frozen=True):
    current_context: str | None = msgspec.field(name="current-context", default=None)
    contexts: tuple[_Context, ...] | None = None
    clusters: tuple[_Cluster, ...] | None = None
    users: tuple[_User, ...] | None = None


def find_context(environ: Mapping[str, str], file: str | None = None, name: str | None = None) -> KubeContext:
    """Finds a context: by its name or the current one; in the file, else KUBECONFIG's files, else ~/.kube/config.

    Raises:
        KubeError: there is no such file or context, it leads to no server, or a file cannot be read; the message says
            which.
    """
    read = dict(_read_all([file] if file else _listed(environ)))
    files = read.values()
    name = name or next((each.current_context for each in files if each.current_context), None)
    # Of what several files define, the first counts, so it is the last to be put in.
    contexts = {
        each.name: each.context or _Body() for file in reversed(files) for each in reversed(file.contexts or ())
    }
    if name not in contexts:
        wanted = f"context {name!r}" if name else "current context"
        has = ", ".join(reversed(contexts)) or "none"
        raise KubeError(f"the kubeconfig {', '.join(read)} has no {wanted}; it has {has}")
    context = contexts[name]
    clusters = {each.name: each.cluster for file in reversed(files) for each in reversed(file.clusters or ())}
    users = {each.name: each.user for file in reversed(files) for each in reversed(file.users or ())}
    cluster = clusters.get(context.cluster)
    if cluster is None or not cluster.server:
        raise KubeError(f"context {name!r} leads to cluster {context.cluster!r}, which has no server in the kubeconfig")
    if context.user and context.user not in users:
        raise KubeError(f"context {name!r} names user {context.user!r}, whom the kubeconfig does not have")
    user = users.get(context.user or "")
    return KubeContext(
        name=name,
        namespace=context.namespace or None,
        files=tuple(read),
        login=user.exec.command if user and user.exec else None,
    )


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
