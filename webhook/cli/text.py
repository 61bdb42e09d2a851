"""A preview for people: what is done to each pod, why, and what it is worth."""

from collections import Counter
from collections.abc import Iterable, Iterator

import click

from webhook.cli.estimate_text import LEGEND, estimate_lines
from webhook.cli.layout import described, fold, paragraph, printable, section
from webhook.cli.settings_text import setting_lines
from webhook.plan.types import Status
from webhook.preview.contract import PodPreview, Preview, ShardFiles
from webhook.preview.parts import Part
from webhook.reasons import Counsel, Reason

_COLOURS = {Status.INJECTED: "green", Status.PARTIAL: "yellow", Status.SKIPPED: "bright_black"}
_PARTS = {
    Part.TUNED: "tuned",
    Part.ALREADY_TUNED: "already tuned",
    Part.AS_SET: "as you set it",
    Part.NOTHING_TO_ADD: "nothing to add",
    Part.NOT_KNOWN: "not known yet",
    Part.KEPT: "yours, kept",
    Part.LEFT_ALONE: "left alone",
}
_ALREADY = "already tuned: nothing to add"
_GIB = 2**30
_LABEL = 10
_INDENT = 4


def as_text(preview: Preview, width: int) -> str:
    """Writes the preview in lines of at most `width` characters, where words allow; styled."""
    if not preview.pods:
        return "No pod and no pod template in the input.\n"
    blocks: list[Iterable[str]] = [_pod(pod, width) for pod in preview.pods]
    if any(pod.estimate for pod in preview.pods):
        blocks.append(paragraph(LEGEND, width, 0))
    if len(preview.pods) > 1:
        blocks.append([_summary(preview)])
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def _summary(preview: Preview) -> str:
    counts = Counter(pod.status for pod in preview.pods)
    told = ", ".join(
        click.style(f"{counts[status]} {status}", fg=_COLOURS[status] if counts[status] else None) for status in Status
    )
    silent = sum(not pod.opted_in for pod in preview.pods)
    pods = click.style(f"{len(preview.pods)} pods", bold=True)
    return f"{pods}: {told}{f'; {silent} not opted in' if silent else ''}"


def _pod(pod: PodPreview, width: int) -> Iterator[str]:
    where = printable(f"{pod.source.kind} {pod.source.name or '(unnamed)'}")
    status = click.style(_ALREADY if pod.already_tuned else pod.status, fg=_COLOURS[pod.status], bold=True)
    yield f"{click.style(where, bold=True)}  {status}"
    place = f"{pod.source.file}, document {pod.source.document} {pod.source.path}".rstrip()
    yield from (click.style(line, dim=True) for line in paragraph(place, width, 2))
    if not pod.opted_in:
        yield click.style("  not opted in: this is what would happen if it were", fg="yellow")
    yield ""
    yield from _facts(pod, width)
    yield from section("settings", setting_lines(pod.settings, width))
    yield from section("reasons", _sentences(pod.reasons, width))
    yield from section("advice", _sentences(pod.advice, width))
    if pod.estimate:
        yield from section("cold start, in seconds", estimate_lines(pod.estimate, width))


def _facts(pod: PodPreview, width: int) -> Iterator[str]:
    if pod.container:
        yield from _fact("engine", f"{pod.engine} in container {pod.container}, {_ranks(pod)}", width)
    if pod.model:
        yield from _fact("model", f"{pod.model}{_files(pod.shards)}", width)
    if pod.instance_types:
        shown = ", ".join(pod.instance_types[:4])
        more = len(pod.instance_types) - 4
        yield from _fact("node", f"{shown}{f' and {more} more types' if more > 0 else ''}", width)
    parts = {"streamer": pod.parts.streamer, "retry": pod.parts.retry, "compile cache": pod.parts.cache}
    yield from _fact("parts", "; ".join(f"{name} {_PARTS[part]}" for name, part in parts.items()), width)


def _fact(label: str, text: str, width: int) -> Iterator[str]:
    first, *rest = fold(text, width - 2 - _LABEL)
    yield f"  {label:<{_LABEL}}{first}"
    yield from (f"  {'':<{_LABEL}}{line}" for line in rest)


def _ranks(pod: PodPreview) -> str:
    sizes = {"TP": pod.tensor_parallel_size, "PP": pod.pipeline_parallel_size, "DP": pod.data_parallel_size}
    return " ".join(f"{name} {size or '?'}" for name, size in sizes.items() if size != 1 or name == "TP")


def _files(shards: ShardFiles | None) -> str:
    if shards is None:
        return ""
    plural = "" if shards.count == 1 else "s"
    total, largest = (f"{size / _GIB:.3g} GiB" for size in (shards.bytes, shards.largest_bytes))
    return f" ({shards.count} shard{plural}, {total}, the largest {largest})"


def _sentences(sentences: tuple[Reason, ...] | tuple[Counsel, ...], width: int) -> Iterator[str]:
    return described([(each.code, each.text) for each in sentences], width, _INDENT)
