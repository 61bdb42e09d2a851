"""`--cluster`: the cluster that kubectl would talk to, chosen by the flags that kubectl has, and asked once."""

import functools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import click
import msgspec

from webhook.cli.context import Choice, context_options
from webhook.cli.failure import Failure
from webhook.lookup.kubeconfig import KubeContext
from webhook.lookup.snapshot import Snapshot
from webhook.lookup.stores import NamespaceRules
from webhook.lookup.watching import KubeError
from webhook.preview.run import DEFAULT_NAMESPACE

_UNKNOWN_USER = 401
_LONGEST_CAUSE = 300


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The context whose cluster is asked, None for no cluster; and the namespace of manifests that name none."""

    context: KubeContext | None
    namespace: str


def cluster_options(function: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the flags that choose a cluster, and calls it with their sum as `target`."""

    @click.option("--cluster", is_flag=True, help="Ask the cluster that kubectl talks to; nothing in it is changed.")
    @context_options
    @click.option(
        "-n",
        "--namespace",
        metavar="NAME",
        help="Of pods whose manifest names none.  [default: the context's with --cluster, else default]",
    )
    @functools.wraps(function)
    def with_target(
        *,
        cluster: bool,
        choice: Choice,
        namespace: str | None,
        **rest: Any,  # noqa: ANN401 (the command's other flags)
    ) -> None:
        if not cluster and choice.flag:
            raise Failure(f"{choice.flag} chooses the cluster that --cluster asks; give --cluster too")
        found = choice.find() if cluster else None
        inherited = found.namespace if found else None
        function(target=Target(context=found, namespace=namespace or inherited or DEFAULT_NAMESPACE), **rest)

    return with_target


@asynccontextmanager
async def open_cluster(context: KubeContext | None, rules: NamespaceRules) -> AsyncIterator[Snapshot | None]:
    """Reads a cluster once, and stays connected for the namespaces that pods turn out to be in; None without a context.

    Raises:
        Failure: the kubeconfig cannot be used, or the API server cannot be talked to.
    """
    if context is None:
        yield None
        return
    from webhook.lookup.kube import Kubernetes  # noqa: PLC0415 (takes half a second, and only a cluster needs it)

    try:
        api = await Kubernetes.from_kubeconfig(context)
    except KubeError as fault:
        raise Failure(f"--cluster: context {context.name!r} cannot be used: {cause(fault)}") from None
    try:
        snapshot = Snapshot(api, rules)
        try:
            await snapshot.read()
        except KubeError as fault:
            raise Failure(f"--cluster: {silence(context, api.server, fault)}") from None
        yield snapshot
    finally:
        await api.close()


def silence(context: KubeContext, server: str, fault: KubeError) -> str:
    """Returns why there is no talking to a server."""
    if fault.status == _UNKNOWN_USER:
        return f"{server} does not take the credentials of context {context.name!r} (401); log in anew"
    return f"{server} of context {context.name!r} does not answer: {cause(fault)}"


def cause(fault: KubeError) -> str:
    """Returns what the client said, for the person whose terminal and whose kubeconfig this is."""
    if fault.__cause__ is None:
        return str(fault)
    said = " ".join(str(fault.__cause__).split())
    return said[:_LONGEST_CAUSE] or type(fault.__cause__).__name__
