"""An estimate for people: a table of the start's layers, what is saved, and why it is not more certain."""

from collections.abc import Callable, Iterator, Sequence

import click

from webhook.cli.layout import described, paragraph
from webhook.plan.estimate_types import Basis, Estimate, Layer, LayerName, Money, Range

_NAMES = {
    LayerName.NODE: "node provisioning",
    LayerName.DRIVER: "GPU driver",
    LayerName.IMAGE: "image pull",
    LayerName.WEIGHTS: "weights",
    LayerName.COMPILE: "torch.compile",
    LayerName.INITIALISATION: "engine initialisation",
}
_MARKS = {Basis.PUBLISHED: "*", Basis.ESTIMATED: "~"}
LEGEND = "~ estimated by fastload, * published by others, ? not known. Model start: weights and torch.compile together."
_MARGIN = "    "
# A row's name, and a figure for each scenario; empty where it has none.
_Row = tuple[str, ...]
_HEAD: _Row = ("", "today", "first pod", "next pods")
_START = "model start"
_STARTS: _Row = ("(weights + torch.compile)", "", "", "")
_SAVED = "saved"


def estimate_lines(estimate: Estimate, width: int) -> Iterator[str]:
    """Writes seconds of each layer in each scenario, each figure marked by what it stands on."""
    yield from _table([_HEAD, *_rows(estimate)], width)
    if estimate.money:
        yield from paragraph(_price(estimate.money), width, len(_MARGIN))
    yield from described([(note.code, note.text) for note in estimate.notes], width, len(_MARGIN))


def _rows(estimate: Estimate) -> Iterator[_Row]:
    for layers in zip(*(scenario.layers for scenario in estimate.scenarios), strict=True):
        yield _NAMES[layers[0].name], *map(_layer, layers)
    yield _START, *(_reckoned(scenario.model_start, _seconds) for scenario in estimate.scenarios)
    yield _STARTS
    saved, money = estimate.saved, estimate.money
    yield _SAVED, "", _reckoned(saved.first_pod, _seconds), _reckoned(saved.next_pods, _seconds)
    if money:
        yield "saved, USD a pod", "", _reckoned(money.first_pod, _usd), _reckoned(money.next_pods, _usd)


def _table(rows: Sequence[_Row], width: int) -> Iterator[str]:
    """Writes all scenarios side by side, or one after the other where the lines are too short for that."""
    if len(_line(rows[0], _widths(rows))) <= width:
        yield from _lines(rows)
        return
    for at in range(1, len(rows[0])):
        yield from _lines([(row[0], row[at]) for row in rows if row[at]])


def _lines(rows: Sequence[_Row]) -> Iterator[str]:
    widths = _widths(rows)
    for row in rows:
        yield click.style(_line(row, widths), bold=row[0] in (_START, _SAVED), fg="green" if row[0] == _SAVED else None)


def _widths(rows: Sequence[_Row]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _line(row: _Row, widths: Sequence[int]) -> str:
    figures = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
    return (_MARGIN + "  ".join((row[0].ljust(widths[0]), *figures))).rstrip()


def _layer(layer: Layer) -> str:
    return _marked(layer.seconds, _MARKS.get(layer.basis, ""), _seconds)


def _reckoned(span: Range | None, write: Callable[[float], str]) -> str:
    """Writes a figure that our model has a part in."""
    return _marked(span, _MARKS[Basis.ESTIMATED], write)


def _marked(span: Range | None, mark: str, write: Callable[[float], str]) -> str:
    if span is None:
        return "?"
    low, high = write(span.low), write(span.high)
    if low != high:
        return f"{mark}{low} to {high}"
    return low if low == "0" else f"{mark}{low}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f}"


def _usd(amount: float) -> str:
    return f"{amount:.2f}"


def _price(money: Money) -> str:
    span = money.price.usd_per_hour
    low, high = _usd(span.low), _usd(span.high)
    return (
        f"At {low if low == high else f'{low} to {high}'} USD/h for the pod's share of its node: {money.price.source}."
    )
