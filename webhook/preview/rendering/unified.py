"""A unified diff of a text and of its edits.

The edits tell where the two differ, so nothing has to be searched for: a diff of megabytes takes no time and shows what
was added, not what a search took for it.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

import msgspec

from webhook.preview.rendering.edit import Edit, apply_edits, line_start

_CONTEXT = 3
# What was written anew is searched for lines that stay; of more lines, which takes the square of the time, none are.
_SEARCHED_LINES = 1_000
_NO_NEWLINE = "\\ No newline at end of file\n"
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


class _Change(msgspec.Struct, frozen=True):
    """Lines, counted from 0, that others take the place of."""

    start: int
    end: int
    new: tuple[str, ...]


def unified_diff(name: str, text: str, edits: Sequence[Edit]) -> Iterator[str]:
    """Yields the lines of a file's diff, for `patch -p0` and `git apply -p0`; none where nothing changes."""
    lines = _LINE.findall(text)
    changes = list(_changes(text, edits))
    if changes:
        # Behind a name with spaces a tab tells where it ends.
        label = f"{name}\t" if " " in name else name
        yield f"--- {label}\n"
        yield f"+++ {label}\n"
    grown = 0
    for hunk in _hunks(changes):
        yield from _hunk(lines, hunk, grown)
        grown += sum(len(change.new) - (change.end - change.start) for change in hunk)


def _changes(text: str, edits: Sequence[Edit]) -> Iterator[_Change]:
    """Yields what the edits do to whole lines, in order."""
    line, reached = 0, 0
    for group in _by_lines(text, edits):
        start, last = line_start(text, group[0].start), group[-1].end
        end = text.find("\n", last) + 1 or len(text)
        shifted = [Edit(edit.start - start, edit.end - start, edit.new) for edit in group]
        line += text.count("\n", reached, start)
        reached = start
        yield from _compared(line, _LINE.findall(text[start:end]), _LINE.findall(apply_edits(text[start:end], shifted)))


def _compared(at: int, old: list[str], new: list[str]) -> Iterator[_Change]:
    whole = _trimmed(at, old, new)
    count = whole.end - whole.start
    if not 1 < count <= _SEARCHED_LINES or len(whole.new) > _SEARCHED_LINES:
        if count or whole.new:
            yield whole
        return
    old = old[whole.start - at : whole.end - at]
    for kind, first, last, new_first, new_last in SequenceMatcher(None, old, whole.new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield _Change(whole.start + first, whole.start + last, whole.new[new_first:new_last])


def _by_lines(text: str, edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Yields the edits, those that touch one line together."""
    group: list[Edit] = []
    for edit in edits:
        if group and "\n" in text[group[-1].end : edit.start]:
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _trimmed(at: int, old: list[str], new: list[str]) -> _Change:
    """Leaves out the lines that begin and end both."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return _Change(at + head, at + len(old) - tail, tuple(new[head : len(new) - tail]))


def _hunks(changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    """Yields the changes, those whose surroundings meet together."""
    hunk: list[_Change] = []
    for change in changes:
        if hunk and change.start - hunk[-1].end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _hunk(lines: Sequence[str], changes: Sequence[_Change], grown: int) -> Iterator[str]:
    start = max(changes[0].start - _CONTEXT, 0)
    end = min(changes[-1].end + _CONTEXT, len(lines))
    added = sum(len(change.new) - (change.end - change.start) for change in changes)
    yield f"@@ -{_range(start, end - start)} +{_range(start + grown, end - start + added)} @@\n"
    at = start
    for change in changes:
        yield from _marked(" ", lines[at : change.start])
        yield from _marked("-", lines[change.start : change.end])
        yield from _marked("+", change.new)
        at = change.end
    yield from _marked(" ", lines[at:end])


def _range(start: int, count: int) -> str:
    """Returns a place in the words of a diff: an empty one is named by the line before it."""
    return f"{start + 1 if count else start},{count}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n{_NO_NEWLINE}"
