"""`fastload doctor`."""

import asyncio
import sys
from enum import StrEnum
from typing import TYPE_CHECKING

import click
import msgspec

from webhook.cli.cluster import cause, silence
from webhook.cli.context import Choice, context_options
from webhook.cli.doctor_text import as_text
from webhook.cli.failure import Failure
from webhook.cli.layout import colour_wanted, line_width
from webhook.doctor.report import Report
from webhook.lookup.kubeconfig import KubeContext
from webhook.lookup.watching import KubeError

if TYPE_CHECKING:
    from webhook.doctor.kube import AskingKubernetes

_UNKNOWN_USER = 401


class _Form(StrEnum):
    TEXT = "text"
    JSON = "json"


@click.command("doctor", short_help="Check an installation in a cluster, and say what to do.")
@context_options
@click.option(
    "-n",
    "--namespace",
    metavar="NAME",
    help="Where fastload is installed.  [default: where its webhooks lead to, else fastload]",
)
@click.option(
    "-o",
    "--output",
    type=click.Choice([each.value for each in _Form]),
    default=_Form.TEXT.value,
    show_default=True,
    help="What to print.",
)
def command(choice: Choice, namespace: str | None, output: str) -> None:
    """Check fastload in the cluster that kubectl talks to, and say what to do about what is wrong.

    It reads by your own rights and changes nothing: a pod that asks for fastload is created as a dry run alone. What
    you may not read is named, and the rest is checked.

    Ends with status 0 where all is well, 1 where there is a problem, and 2 where there is none and something could not
    be looked at.
    """
    report = asyncio.run(_look(choice.find(), namespace))
    if output == _Form.JSON:
        click.echo(msgspec.json.format(msgspec.json.encode(report)))
    else:
        click.echo(as_text(report, line_width()), nl=False, color=colour_wanted(sys.stdout))
    sys.exit(report.status)


async def _look(context: KubeContext, namespace: str | None) -> Report:
    """Examines the cluster of a context.

    Raises:
        Failure: there is no talking to it.
    """
    from webhook.doctor.gather import gather  # noqa: PLC0415 (half a second, which the help text needs not)
    from webhook.doctor.kube import AskingKubernetes  # noqa: PLC0415 (the same)

    try:
        api = await AskingKubernetes.from_kubeconfig(context)
    except KubeError as fault:
        raise Failure(f"context {context.name!r} cannot be used: {cause(fault)}") from None
    try:
        await _require_talk(api)
        return Report.of(await gather(api, namespace), context=context.name, server=api.server)
    except KubeError as fault:
        raise Failure(silence(context, api.server, fault)) from None
    finally:
        await api.close()


async def _require_talk(api: "AskingKubernetes") -> None:
    """Asks something that everybody may ask.

    Raises:
        KubeError: there is no answer, or the credentials are not taken.
    """
    try:
        await api.get("/version", {})
    except KubeError as fault:
        if fault.status in (None, _UNKNOWN_USER):
            raise
