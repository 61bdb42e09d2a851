"""An estimate for people: a table of the start's layers, what is saved, and why it is not more certain."""

from collections.abc import Iterable, Iterator

import click

from webhook.plan.estimate_types import Basis, Estimate, Layer, Range

_HEAD = ("today", "first pod", "next pods")
_COLUMN = 14


def estimate_lines(estimate: Estimate) -> Iterator[str]:
    """Writes seconds of each layer in each scenario; `~` before what is estimated and not published."""
    yield f"  {'estimate (s)':<24}{''.join(head.rjust(_COLUMN) for head in _HEAD)}"
    for layers in zip(*(scenario.layers for scenario in estimate.scenarios), strict=True):
        yield _row(layers[0].name, map(_layer, layers))
    starts = [_seconds(scenario.model_start) for scenario in estimate.scenarios]
    yield click.style(_row("model start", starts), bold=True)
    saved = estimate.saved
    yield _row("saved of the model start", ["", _seconds(saved.first_pod), _seconds(saved.next_pods)])
    if estimate.money:
        yield _row("saved, USD a pod", ["", _usd(estimate.money.first_pod), _usd(estimate.money.next_pods)])
        price = estimate.money.price
        yield f"    at {_usd(price.usd_per_hour)} USD/h for the pod's share of its node: {price.source}"
    yield "    ~ estimated; else published. Model start: weights and torch.compile."
    for note in estimate.notes:
        yield f"    {click.style(note.code, bold=True)}: {note.text}"


def _row(name: str, cells: Iterable[str]) -> str:
    return f"    {name:<22}{''.join(cell.rjust(_COLUMN) for cell in cells)}".rstrip()


def _layer(layer: Layer) -> str:
    mark = "~" if layer.basis is Basis.ESTIMATED else ""
    return f"{mark}{_seconds(layer.seconds)}"


def _seconds(span: Range | None) -> str:
    return "?" if span is None else _span(f"{span.low:.0f}", f"{span.high:.0f}")


def _usd(span: Range | None) -> str:
    return "?" if span is None else _span(f"{span.low:.2f}", f"{span.high:.2f}")


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"
