"""`--context` and `--kubeconfig`: the flags by which kubectl's users choose a cluster."""

import functools
import os
from collections.abc import Callable
from typing import Any

import click
import msgspec

from webhook.cli.failure import Failure
from webhook.lookup.kubeconfig import KubeContext, find_context
from webhook.lookup.watching import KubeError


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What the flags say; None where a flag was not given."""

    context: str | None = None
    kubeconfig: str | None = None

    @property
    def flag(self) -> str | None:
        """A flag that was given; None without."""
        return "--context" if self.context else "--kubeconfig" if self.kubeconfig else None

    def find(self) -> KubeContext:
        """Returns the context that they lead to.

        Raises:
            Failure: there is none, or the kubeconfig cannot be read.
        """
        try:
            return find_context(os.environ, self.kubeconfig, self.context)
        except KubeError as error:
            raise Failure(str(error)) from None


def context_options(function: Callable[..., None]) -> Callable[..., None]:
    """Gives a command both flags, and calls it with what they say as `choice`."""

    @click.option("--context", metavar="NAME", help="Context of the kubeconfig instead of the current one.")
    @click.option("--kubeconfig", metavar="FILE", help="Kubeconfig instead of KUBECONFIG's or ~/.kube/config.")
    @functools.wraps(function)
    def with_choice(
        *,
        context: str | None,
        kubeconfig: str | None,
        **rest: Any,  # noqa: ANN401 (the command's other flags)
    ) -> None:
        function(choice=Choice(context=context, kubeconfig=kubeconfig), **rest)

    return with_choice
