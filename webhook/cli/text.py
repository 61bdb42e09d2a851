"""A preview for people: what is set on each pod, and why."""

from collections.abc import Iterator
from itertools import groupby

import click

from webhook.cli.estimate_text import estimate_lines
from webhook.plan.types import Status
from webhook.preview.contract import PodPreview, Preview, ShardFiles
from webhook.reasons import Counsel, Reason

_COLOURS = {Status.INJECTED: "green", Status.PARTIAL: "yellow", Status.SKIPPED: "bright_black"}
_GIB = 2**30


def as_text(preview: Preview) -> str:
    """Writes the preview; styled, and click strips the styles where the output is no terminal."""
    if not preview.pods:
        return "No pod and no pod template in the input.\n"
    return "\n".join("".join(f"{line}\n" for line in _pod(pod)) for pod in preview.pods)


def _pod(pod: PodPreview) -> Iterator[str]:
    where = f"{pod.source.kind} {pod.source.name or '(unnamed)'}"
    yield f"{click.style(where, bold=True)}  {click.style(pod.status, fg=_COLOURS[pod.status])}"
    yield click.style(f"  {pod.source.file}, document {pod.source.document} {pod.source.path}".rstrip(), dim=True)
    if not pod.opted_in:
        yield "  not opted in: this is what would happen if it were"
    yield ""
    yield from _facts(pod)
    yield f"  {'features':<10}streamer {pod.streamer}, retry {pod.retry}, compile cache {pod.cache}"
    yield from _settings(pod)
    yield from _sentences("why", pod.reasons)
    yield from _sentences("advice", pod.advice)
    if pod.estimate:
        yield ""
        yield from estimate_lines(pod.estimate)


def _facts(pod: PodPreview) -> Iterator[str]:
    if pod.container:
        yield f"  {'engine':<10}{pod.engine} in container {pod.container}, {_ranks(pod)}"
    if pod.model:
        yield f"  {'model':<10}{pod.model}{_files(pod.shards)}"
    if pod.instance_types:
        shown = ", ".join(pod.instance_types[:4])
        more = len(pod.instance_types) - 4
        yield f"  {'node':<10}{shown}{f' and {more} more types' if more > 0 else ''}"


def _ranks(pod: PodPreview) -> str:
    sizes = {"TP": pod.tensor_parallel_size, "PP": pod.pipeline_parallel_size, "DP": pod.data_parallel_size}
    return " ".join(f"{name} {size or '?'}" for name, size in sizes.items() if size != 1 or name == "TP")


def _files(shards: ShardFiles | None) -> str:
    if shards is None:
        return ""
    plural = "" if shards.count == 1 else "s"
    total, largest = (f"{size / _GIB:.3g} GiB" for size in (shards.bytes, shards.largest_bytes))
    return f"  ({shards.count} shard{plural}, {total}, the largest {largest})"


def _settings(pod: PodPreview) -> Iterator[str]:
    """Writes the settings, those with the same reason together."""
    for reason, group in groupby(pod.settings, lambda setting: setting.reason):
        yield ""
        yield from (f"  {click.style(f'{setting.name}={setting.value}', fg='cyan')}" for setting in group)
        yield f"      {reason}"


def _sentences(title: str, sentences: tuple[Reason, ...] | tuple[Counsel, ...]) -> Iterator[str]:
    if sentences:
        yield ""
        yield f"  {title}"
    for sentence in sentences:
        yield f"    {click.style(sentence.code, bold=True)}: {sentence.text}"
