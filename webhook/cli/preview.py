"""`fastload preview`."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from math import isnan
from pathlib import Path
from typing import Any

import click
import msgspec

from webhook.cli.failure import Failure
from webhook.cli.layout import colour_wanted, line_width
from webhook.cli.options import settings_from, warn_of_ignored
from webhook.cli.text import as_text
from webhook.cli.world import open_pipeline
from webhook.preview.assumptions import AssumptionError, Given, read_assumed
from webhook.preview.documents import Document, UnreadableInputError, read_documents
from webhook.preview.indirect import explain_indirect
from webhook.preview.manifest import as_diff, as_patches, as_yaml
from webhook.preview.run import Outcome, run


class Output(StrEnum):
    """What a preview is printed as."""

    TEXT = "text"
    JSON = "json"
    PATCH = "patch"
    YAML = "yaml"
    DIFF = "diff"


@click.command("preview", short_help="Show what would be done to the pods of a manifest.")
@click.option(
    "-f",
    "--filename",
    "files",
    multiple=True,
    required=True,
    help="Manifest; - reads standard input. May be repeated.",
)
@click.option(
    "-o",
    "--output",
    type=click.Choice([each.value for each in Output]),
    default=Output.TEXT.value,
    show_default=True,
    help="What to print.",
)
@click.option("--offline", is_flag=True, help="Make no call to S3.")
@click.option(
    "--shards", type=click.IntRange(min=1), help="Shard files of every model, instead of a listing; with --model-size."
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
def command(
    files: tuple[str, ...],
    output: str,
    s3_endpoint: str | None,
    price_per_hour: float | None,
    *,
    offline: bool,
    **given: Any,  # noqa: ANN401 (fields of Given)
) -> None:
    """Show what fastload would do to the pods of a manifest, without a cluster.

    Reads pods, workloads, lists and admission reviews as YAML or JSON. Models are listed in S3 as the webhook does it,
    with your own credentials, unless the flags say how large they are. A pod that did not opt in is shown as if it had.
    The webhook's settings are read from the environment.
    """
    settings = settings_from({"s3_endpoint": s3_endpoint})
    warn_of_ignored()
    if price_per_hour is not None and isnan(price_per_hour):
        raise Failure("--price-per-hour is no number; it takes USD an hour, such as 55")
    try:
        assumed = read_assumed(Given(mark="--", **given))
    except AssumptionError as error:
        raise Failure(str(error)) from None

    async def look(documents: Sequence[Document]) -> Outcome:
        async with open_pipeline(settings, assumed, offline=offline) as pipeline:
            return await run(documents, pipeline, usd_per_hour=price_per_hour)

    try:
        documents = [document for file in files for document in read_documents(file, _content(file))]
        outcome = asyncio.run(look(documents))
    except UnreadableInputError as error:
        raise Failure(str(error)) from None
    for sentence in explain_indirect(documents):
        click.echo(f"Note: {sentence}", err=True)
    click.echo(_WRITERS[Output(output)](documents, outcome), nl=False, color=colour_wanted(sys.stdout))


def _content(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UnreadableInputError(file, (error.strerror or str(error)).lower()) from None


def _as_json(_documents: Sequence[Document], outcome: Outcome) -> str:
    return msgspec.json.format(msgspec.json.encode(outcome.preview)).decode() + "\n"


_WRITERS: dict[Output, Callable[[Sequence[Document], Outcome], str]] = {
    Output.TEXT: lambda _documents, outcome: as_text(outcome.preview, line_width()),
    Output.JSON: _as_json,
    Output.PATCH: lambda _documents, outcome: as_patches(outcome.patches),
    Output.YAML: lambda _documents, outcome: as_yaml(outcome.patched),
    Output.DIFF: lambda documents, outcome: as_diff(documents, outcome.patched),
}
