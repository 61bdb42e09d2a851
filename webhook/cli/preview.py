"""`fastload preview`."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any

import click
import msgspec

from webhook.cli.cluster import Target, cluster_options, open_cluster
from webhook.cli.failure import Failure
from webhook.cli.layout import colour_wanted, line_width
from webhook.cli.options import settings_from, warn_of_ignored
from webhook.cli.sections import Sectioned
from webhook.cli.text import as_text
from webhook.cli.untold import untold
from webhook.cli.world import open_pipeline
from webhook.preview.assumptions import AssumptionError, Given, read_assumed
from webhook.preview.documents import MAX_BYTES, Document, UnreadableInputError, read_documents
from webhook.preview.rendering.forms import Form, remarks_on, render
from webhook.preview.run import Outcome, run
from webhook.preview.uncollected import uncollected

_TEXT = "text"
_SECTIONS = {
    "Input and output": ("files", "output", "wants_patched"),
    "The cluster": ("cluster", "context", "kubeconfig", "namespace"),
    "What stands for a look-up": (
        "offline",
        "shards",
        "model_size",
        "instance_types",
        "namespace_labels",
        "s3_endpoint",
        "price_per_hour",
    ),
}


@click.command(
    "preview",
    cls=Sectioned,
    sections=_SECTIONS,
    short_help="Show what would be done to the pods of a manifest.",
)
@click.option(
    "-f",
    "--filename",
    "files",
    multiple=True,
    required=True,
    metavar="FILE",
    help="Manifest; - reads standard input. May be repeated.",
)
@click.option(
    "-o",
    "--output",
    type=click.Choice([_TEXT, *(each.value for each in Form)]),
    default=_TEXT,
    show_default=True,
    help="What to print.",
)
@click.option(
    "--patched/--no-patched", "wants_patched", default=True, help="Whether -o json has each document with its patch."
)
@cluster_options
@click.option("--offline", is_flag=True, help="Make no call to S3.")
@click.option(
    "--shards",
    type=click.IntRange(min=1),
    metavar="COUNT",
    help="Shard files of every model, instead of a listing; with --model-size.",
)
@click.option("--model-size", metavar="QUANTITY", help="Size of every model, such as 67Gi; with --shards.")
@click.option(
    "--instance-type",
    "instance_types",
    multiple=True,
    metavar="TYPE,...",
    help="As if every pod that has no such annotation had it.",
)
@click.option("--namespace-labels", multiple=True, metavar="KEY=VALUE,...", help="Of every pod's namespace.")
@click.option("--s3-endpoint", metavar="URL", help="Endpoint of a store that is not AWS S3.")
@click.option(
    "--price-per-hour",
    type=click.FloatRange(min=0, max=100_000, min_open=True),
    metavar="USD",
    help="Price of a node, for the estimate, instead of the published ones.",
)
@uncollected()
def command(  # noqa: PLR0913 (click passes each flag by itself)
    files: tuple[str, ...],
    output: str,
    s3_endpoint: str | None,
    price_per_hour: float | None,
    *,
    offline: bool,
    wants_patched: bool,
    target: Target,
    **given: Any,  # noqa: ANN401 (fields of Given)
) -> None:
    """Show what fastload would do to the pods of a manifest, and why.

    Reads pods, workloads, lists and admission reviews as YAML or JSON. Models are listed in S3 as the webhook does it,
    with your own credentials, unless the flags say how large they are. With --cluster, namespaces, nodes and NodePools
    are read from the cluster that kubectl talks to. A pod that did not opt in is shown as if it had. The webhook's
    settings are read from the environment. "Previews at a terminal" in docs/operating.md says what shard, rank, chunk
    and requests at once mean.
    """
    settings = settings_from({"s3_endpoint": s3_endpoint})
    warn_of_ignored()
    if price_per_hour is not None and isnan(price_per_hour):
        raise Failure("--price-per-hour is no number; it takes USD an hour, such as 55")
    try:
        assumed = read_assumed(Given(mark="--", **given))
    except AssumptionError as error:
        raise Failure(str(error)) from None

    async def look(documents: Sequence[Document]) -> tuple[Outcome, list[str]]:
        async with (
            open_cluster(target.context, settings.namespace_rules()) as cluster,
            open_pipeline(settings, assumed, cluster, offline=offline) as pipeline,
        ):
            outcome = await run(documents, pipeline, namespace=target.namespace, usd_per_hour=price_per_hour)
            return outcome, untold(cluster) if cluster else []

    try:
        documents = [document for file in files for document in read_documents(_named(file), _content(file))]
        outcome, gaps = asyncio.run(look(documents))
    except UnreadableInputError as error:
        raise Failure(str(error)) from None
    form = None if output == _TEXT else Form(output)
    for sentence in (*(f"--cluster: {gap}" for gap in gaps), *(remark.text for remark in remarks_on(form, outcome))):
        click.echo(f"Note: {sentence}", err=True)
    if form is None:
        _print(as_text(outcome.preview, line_width()))
        return
    if not wants_patched:
        outcome = outcome.without_patched()
    written = render(form, documents, outcome)
    _print(msgspec.json.format(written) + b"\n" if form is Form.JSON else written)


def _print(written: str | bytes) -> None:
    try:
        click.echo(written, nl=False, color=colour_wanted(sys.stdout))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is held back must not be tried again as the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Failure(f"standard output: {(error.strerror or str(error)).lower()}") from None


def _content(file: str) -> bytes:
    """Reads a file, and no more of it than it takes to see that it is too large."""
    if file == "-" and not sys.stdin:
        raise UnreadableInputError(file, "closed")
    try:
        with contextlib.nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableInputError(file, (error.strerror or str(error)).lower()) from None


def _named(file: str) -> str:
    """Returns a file's name as text: on Linux it may be any bytes."""
    return file.encode(errors="surrogateescape").decode(errors="replace")
