"""Changes of a text by position, so that everything else stays as it is, byte for byte."""

from collections.abc import Iterator, Sequence

import msgspec


class Edit(msgspec.Struct, frozen=True):
    """Puts `new` in the place of the text from `start` to `end`; nothing is taken away where the two are the same."""

    start: int
    end: int
    new: str


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Returns the text with edits, which are in order and do not overlap, made in it."""
    return "".join(_pieces(text, edits))


def _pieces(text: str, edits: Sequence[Edit]) -> Iterator[str]:
    at = 0
    for edit in edits:
        yield text[at : edit.start]
        yield edit.new
        at = edit.end
    yield text[at:]


def line_end(text: str, index: int) -> int:
    """Returns where the line that holds `index` ends, before its line break."""
    end = text.find("\n", index)
    if end < 0:
        return len(text)
    return end - 1 if end > index and text[end - 1] == "\r" else end


def line_start(text: str, index: int) -> int:
    """Returns where the line that holds `index` begins."""
    return text.rfind("\n", 0, index) + 1


def indentation(text: str, index: int) -> str:
    """Returns the white space that the line that holds `index` begins with."""
    line = text[line_start(text, index) : line_end(text, index)]
    return line[: len(line) - len(line.lstrip())]
