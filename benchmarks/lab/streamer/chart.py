"""The streamer lab's chart: how long a tuned load takes of an untouched one, a dot for each version of the streamer."""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from benchmarks.lab.streamer.measured import Measured, Run
from benchmarks.lab.streamer.trial import KILLED

_LEFT, _WIDTH, _ROW, _TOP = 210, 420, 26, 64
_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1, 1.2)
_MOST = _TICKS[-1]
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.quiet { fill: #57606a } .grid { stroke: #d0d7de } .line { stroke: #57606a; stroke-dasharray: 4 3 }
.v0 { fill: #0969da } .v1 { fill: #1a7f37 } .v2 { fill: #bf8700 } .v3 { fill: #8250df } .v4 { fill: #cf222e }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .quiet { fill: #8d96a0 } .grid { stroke: #3d444d } .line { stroke: #8d96a0 }
}
"""


def chart(measured: Sequence[Measured]) -> str:
    """Returns the chart as SVG."""
    versions = list(dict.fromkeys(each.version for each in measured))
    names = list(dict.fromkeys(each.case.name for each in measured))
    height = _TOP + len(names) * _ROW + 40
    parts = [*_legend(versions), *_axis(len(names))]
    for row, name in enumerate(names):
        y = _TOP + row * _ROW + _ROW / 2
        parts.append(f'<text x="{_LEFT - 12}" y="{y + 4:.0f}" text-anchor="end">{escape(name)}</text>')
        for each in measured:
            if each.case.name == name:
                parts += _dots(each, y, versions.index(each.version))
    title = "Time of a load tuned by fastload, as a share of the untouched load, by version of the streamer"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 130} {height}" role="img">'
        f"<title>{title}</title><style>{_STYLE}</style>{''.join(parts)}</svg>\n"
    )


def _legend(versions: Sequence[str]) -> Iterator[str]:
    for number, version in enumerate(versions):
        x = _LEFT + number * 80
        yield f'<circle cx="{x}" cy="18" r="5" class="v{number}"/><text x="{x + 10}" y="22">{version}</text>'


def _axis(rows: int) -> Iterator[str]:
    bottom = _TOP + rows * _ROW
    for share in _TICKS:
        x, kind = _x(share), "line" if share == 1 else "grid"
        yield f'<line x1="{x:.0f}" y1="{_TOP - 8}" x2="{x:.0f}" y2="{bottom}" class="{kind}"/>'
        yield f'<text x="{x:.0f}" y="{_TOP - 14}" text-anchor="middle" class="quiet">{share:g}</text>'
    yield f'<text x="{_LEFT}" y="{bottom + 24}" class="quiet">tuned seconds / untouched seconds; left is faster</text>'


def _dots(measured: Measured, y: float, number: int) -> Iterator[str]:
    if measured.skipped is not None:
        return
    spread = y + (number - 1.5) * 3
    for run in measured.ours:
        if measured.untouched.fault is not None and run.fault is None:
            yield from _only_tuned(measured.untouched, spread, number)
        elif run.fault is None:
            share = min(measured.share(run), _MOST)
            yield f'<circle cx="{_x(share):.1f}" cy="{spread:.1f}" r="4.5" class="v{number}"/>'


def _only_tuned(untouched: Run, y: float, number: int) -> Iterator[str]:
    """An untouched load that fails has no time: the tuned one stands at zero, with the reason."""
    yield f'<circle cx="{_x(0):.1f}" cy="{y:.1f}" r="4.5" class="v{number}"/>'
    if number == 0:
        what = KILLED if untouched.fault == KILLED else "fails"
        yield f'<text x="{_x(0) + 14:.0f}" y="{y + 8:.0f}" class="quiet">untouched {what}</text>'


def _x(share: float) -> float:
    return _LEFT + share / _MOST * _WIDTH
