"""The docs' tables, written from the code: `python -m tests.docs.tables` (or `make docs`).

A test compares them with what is committed, so that neither changes without the other.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from webhook.reasons import Advice, Code, sentence
from webhook.server.declared import declared
from webhook.server.metrics import FAMILIES, Family
from webhook.server.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"
_ROOMS = {
    "server": "Server",
    "admission": "Reviews",
    "pod": "Pods",
    "lookup": "Look-ups",
    "plan": "Plan",
}


_SETTINGS_HEAD = """# Settings

Every setting of `fastload serve` is a flag and an environment variable; the flag wins over the variable, the variable
over the default. A list is comma-separated in its variable, and its flag may be repeated. `fastload preview` reads the
same variables. A value that is not accepted ends the command with status 2 and says what is. The tables are made from
the code by `make docs`.
"""
_REASONS_HEAD = """# Reasons

The same words stand in the pod's `fastload.dev/reasons` annotation, in the API server's audit log, in warnings, in the
preview and in the metric `fastload_reasons_total`. What stands in braces is filled in from the pod. The tables are made
from the code by `make docs`.
"""
_ADVICE_HEAD = """## Advice

What would help further and is yours to decide; fastload never applies it by itself.
"""
_METRICS_HEAD = """# Metrics

`/metrics` on the admin port, beside the process's own (`process_*`, `python_gc_*`). Labels come from enumerations only:
what pods say never makes a new series. The table is made from the code by `make docs`.
"""


def pages() -> dict[str, str]:
    """The content of every generated page by its file name."""
    return {"settings.md": _settings(), "reasons.md": _reasons(), "metrics.md": _metrics()}


def main() -> None:
    for name, content in pages().items():
        (DOCS / name).write_text(content)


def _settings() -> str:
    rooms = [room.name for room in msgspec.structs.fields(Settings)]
    return "\n".join([_SETTINGS_HEAD, *(f"## {_ROOMS[room]}\n\n{_settings_of(room)}" for room in rooms)])


def _settings_of(room: str) -> str:
    rows = [
        (f"`{each.variable}`", f"`{each.flag}`", _code(each.shown_default), each.description, each.accepts)
        for each in declared()
        if each.room == room
    ]
    return _table(("variable", "flag", "default", "what it is", "takes"), rows)


def _reasons() -> str:
    reasons = _table(("reason", "what it says"), [(_code(code), sentence(code)) for code in Code])
    advice = _table(("advice", "what it says"), [(_code(code), sentence(code)) for code in Advice])
    return f"{_REASONS_HEAD}\n{reasons}\n{_ADVICE_HEAD}\n{advice}"


def _metrics() -> str:
    rows = [(_code(each.name), _kind(each), ", ".join(map(_code, each.labels)), each.help) for each in FAMILIES]
    return f"{_METRICS_HEAD}\n{_table(('metric', 'kind', 'labels', 'what it is'), rows)}"


def _kind(family: Family) -> str:
    if family.buckets:
        return "histogram"
    return "counter" if family.name.endswith("_total") else "gauge"


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join(_row(cells) for cells in (head, ["---"] * len(head), *rows))


def _row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |\n"


if __name__ == "__main__":
    main()
