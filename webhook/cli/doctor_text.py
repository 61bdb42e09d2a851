"""A doctor's report for people: each finding in a sentence, and below it what to do."""

from collections import Counter
from collections.abc import Iterator

import click

from webhook.cli.layout import fold, printable
from webhook.doctor.finding import Check, Finding, Level, counted
from webhook.doctor.report import Report

_MARKS = {
    Level.OK: ("ok", "green"),
    Level.WARNING: ("warning", "yellow"),
    Level.PROBLEM: ("problem", "red"),
    Level.UNREAD: ("unread", "magenta"),
    Level.SKIPPED: ("skipped", "bright_black"),
}
_MARK = max(len(mark) for mark, _ in _MARKS.values()) + 2
_CHECK = max(len(check) for check in Check) + 2
_NARROW = 40


def as_text(report: Report, width: int) -> str:
    """Writes a report in lines of at most `width` characters, where words allow; styled."""
    return "".join(f"{line}\n" for line in _lines(report, width))


def _lines(report: Report, width: int) -> Iterator[str]:
    for line in fold(f"fastload in namespace {report.namespace}, context {report.context}", width):
        yield click.style(line, bold=True)
    yield click.style(printable(report.server), dim=True)
    yield ""
    for finding in report.findings:
        yield from _finding(finding, width)
    yield ""
    yield _sum(report)


def _finding(finding: Finding, width: int) -> Iterator[str]:
    mark, colour = _MARKS[finding.level]
    start = f"{click.style(f'{mark:<{_MARK}}', fg=colour, bold=True)}{finding.check:<{_CHECK}}"
    indent = _MARK + _CHECK
    if width - indent < _NARROW:
        yield start.rstrip()
        start, indent = "    ", 4
    for number, line in enumerate(fold(finding.text, width - indent)):
        yield f"{start if number == 0 else ' ' * indent}{line}"
    if finding.fix:
        for line in fold(f"-> {finding.fix}", width - indent):
            yield f"{' ' * indent}{click.style(line, fg='cyan')}"


def _sum(report: Report) -> str:
    counts = Counter(each.level for each in report.findings)
    told = [
        click.style(counted(counts[level], word), fg=_MARKS[level][1], bold=True)
        for level, word in ((Level.PROBLEM, "problem"), (Level.WARNING, "warning"))
        if counts[level]
    ]
    if counts[Level.UNREAD]:
        told.append(click.style(f"{counts[Level.UNREAD]} not looked at", fg=_MARKS[Level.UNREAD][1], bold=True))
    return ", ".join(told) if told else click.style("All is well.", fg="green", bold=True)
