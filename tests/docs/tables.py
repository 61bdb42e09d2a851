"""The docs' tables, written from the code: `python -m tests.docs.tables` (or `make docs`).

A test compares them with what is committed, so that neither changes without the other.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from tests.faults.table import SECTIONS, Fault
from webhook.admission.decision import Outcome
from webhook.reasons import Advice, Code, sentence
from webhook.server.declared import declared
from webhook.server.families import FAMILIES, Family
from webhook.server.preview_request import Outcome as PreviewOutcome
from webhook.server.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"
_ROOMS = {
    "server": "Server",
    "certificates": "Certificates",
    "admission": "Reviews",
    "preview": "Previews",
    "pod": "Pods",
    "lookup": "Look-ups",
    "plan": "Plan",
}


_SETTINGS_HEAD = """# Settings

Every setting of `fastload serve` is a flag and an environment variable; the flag wins over the variable, the variable
over the default. A list is comma-separated in its variable, and its flag may be repeated. `fastload preview` reads the
same variables. A value that is not accepted ends the command with status 2 and says what is. In the chart's values they
stand below `settings`, in camel case (`allowedBuckets: [models-*]`), and what is not accepted is not installed; ports,
prefix and certificate are values of their own. The tables are made from the code by `make docs`.
"""
_REASONS_HEAD = """# Reasons

The same words stand in the pod's `fastload.dev/reasons` annotation, in the API server's audit log, in warnings, in the
preview and in the metric `fastload_reasons_total`. What stands in braces is filled in from the pod. The tables are made
from the code by `make docs`.
"""
_ADVICE_HEAD = """## Advice

What would help further and is yours to decide; fastload never applies it by itself.
"""
_PLAN_HEAD = """## The plan

The annotation `fastload.dev/plan` holds the whole decision in one line of JSON. What is not known is left out.
"""
PLAN_KEYS = {
    "rules": "The number of the rules that decided; it counts up when the same pod would get another decision.",
    "source": "What told which instance types the pod may land on.",
    "shards": "Shard files of the model.",
    "bytes": "Their size altogether.",
    "instance_types": "The instance types considered, eight at the most.",
    "more_instance_types": "How many more there are.",
    "values": "For each name that was set: its value and the reason. Those of the compile cache are left out.",
    "cache": "Where the compile cache lies: a folder of the node, or `pvc:CLAIM/FOLDER`.",
}
_OUTCOMES_HEAD = """## Outcomes

What became of the pod, as the label `outcome` and in the log. The first three are also the `fastload.dev/status` of a
pod. Of a workload it is what its pods will get, `partial` where its templates differ; it is never changed or refused.
"""
_OUTCOMES = {
    Outcome.INJECTED: "Everything that applies to the pod was set.",
    Outcome.PARTIAL: "What could be decided was set; something was not known in time, and the reasons say what.",
    Outcome.SKIPPED: "The pod asked, and nothing was set; the reasons say why.",
    Outcome.UNCHANGED: "The pod asked, and has all of it already: the second pass over a pod.",
    Outcome.IGNORED: "Not ours: no creation of a pod, or neither the pod nor its namespace asks.",
    Outcome.FAILED_OPEN: "A fault of ours, no time left, or a pod unreadable or too large: it was made as it was.",
    Outcome.REFUSED: "No review that could be answered; the HTTP status said so.",
}
_PREVIEWS_HEAD = """## Outcomes of previews

What became of a request for a preview, as the label `outcome` of `fastload_previews_total`.
"""
_PREVIEWS = {
    PreviewOutcome.PREVIEWED: "It was answered.",
    PreviewOutcome.REFUSED: "The manifest, a query parameter or a header was not accepted; the answer said why.",
    PreviewOutcome.BUSY: "As many previews as `FASTLOAD_PREVIEWS_AT_ONCE` allows were under way.",
    PreviewOutcome.LATE: "It took longer than `FASTLOAD_PREVIEW_SECONDS`.",
    PreviewOutcome.FAILED: "A fault of ours; the log says where.",
}
_FAULTS_HEAD = """# Faults

What is tried on every change: each fault is brought about, and four things are checked. No pod is refused; none gets a
wrong patch, but all of it, what is certain, or none; memory stays within a bound; and a reason or a metric tells. The
tests draw their cases from this table, which is made from theirs by `make docs`.

A pod stays as it was by `failurePolicy: Ignore`, the default. The API server goes on where nobody answers, or with a
status that is not 200, and counts that in a metric of its own, `apiserver_admission_webhook_fail_open_count`.
"""
_METRICS_HEAD = """# Metrics

`/metrics` on the admin port, beside the process's own (`process_*`, `python_gc_*`). Labels come from enumerations only:
what pods say never makes a new series. The table is made from the code by `make docs`.
"""


def pages() -> dict[str, str]:
    """The content of every generated page by its file name."""
    return {"settings.md": _settings(), "reasons.md": _reasons(), "metrics.md": _metrics(), "faults.md": _faults()}


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
    plan = _table(("key", "what it is"), [(_code(key), meaning) for key, meaning in PLAN_KEYS.items()])
    return f"{_REASONS_HEAD}\n{reasons}\n{_ADVICE_HEAD}\n{advice}\n{_PLAN_HEAD}\n{plan}"


def _metrics() -> str:
    rows = [(_code(each.name), _kind(each), ", ".join(map(_code, each.labels)), each.help) for each in FAMILIES]
    metrics = _table(("metric", "kind", "labels", "what it is"), rows)
    outcomes = _table(("outcome", "what it means"), [(_code(each), _OUTCOMES[each]) for each in Outcome])
    previews = _table(("outcome", "what it means"), [(_code(each), _PREVIEWS[each]) for each in PreviewOutcome])
    return f"{_METRICS_HEAD}\n{metrics}\n{_OUTCOMES_HEAD}\n{outcomes}\n{_PREVIEWS_HEAD}\n{previews}"


def _faults() -> str:
    head = ("fault", "a pod that asks", "reason", "what tells", "tried in")
    tables = [f"## {title}\n\n{_table(head, map(_fault, faults))}" for title, faults in SECTIONS.items()]
    return "\n".join([_FAULTS_HEAD, *tables])


def _fault(fault: Fault) -> tuple[str, ...]:
    return (
        fault.name,
        fault.pod,
        _code(fault.reason or ""),
        ", ".join(map(_code, fault.tells.split(", "))),
        _code(f"tests/{fault.test}"),
    )


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
