"""Text for a terminal of any width: sentences folded, columns aligned, control characters shown and not obeyed."""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import TextIO

import click

# Characters of a line: the most that reads well, the least that is laid out for, and what a pipe or a file gets.
_WIDEST = 140
_NARROWEST = 40
_NO_TERMINAL = 100
# The least that a column of sentences may have beside other columns.
_SENTENCE = 40
# Control characters, and those that change the direction of what follows.
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def line_width() -> int:
    """Returns how many characters a line of standard output may have."""
    width = shutil.get_terminal_size((_NO_TERMINAL, 0)).columns if sys.stdout.isatty() else _NO_TERMINAL
    return max(_NARROWEST, min(width, _WIDEST))


def colour_wanted(stream: TextIO) -> bool:
    """Tells whether to style what goes to a stream: NO_COLOR and FORCE_COLOR have their say, else it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def printable(text: str) -> str:
    """Returns text that a terminal shows and does not obey: a manifest's names and values may hold anything."""
    return _UNSHOWN.sub(lambda found: repr(found[0])[1:-1], text)


@lru_cache(maxsize=4096)
def fold(text: str, width: int) -> tuple[str, ...]:
    """Breaks a sentence between words; a word that is longer than a line, as a path may be, stays whole."""
    lines = textwrap.wrap(printable(text), max(width, 1), break_long_words=False, break_on_hyphens=False)
    return tuple(lines) or ("",)


def paragraph(text: str, width: int, indent: int) -> Iterator[str]:
    """Writes a sentence below an indent."""
    for line in fold(text, width - indent):
        yield f"{' ' * indent}{line}"


def described(pairs: Sequence[tuple[str, str]], width: int, indent: int) -> Iterator[str]:
    """Writes words with a sentence each: beside the word, or below it where the lines are too short for that."""
    column = max((len(word) for word, _ in pairs), default=0)
    for word, sentence in pairs:
        row = f"{' ' * indent}{click.style(word, bold=True)}{' ' * (column - len(word))}"
        yield from with_sentence([row], sentence, indent + column, width)


def with_sentence(rows: Sequence[str], sentence: str, row_width: int, width: int) -> Iterator[str]:
    """Writes one sentence for some rows of equal width: to their right, or below where it would not fit there."""
    at = row_width + 2
    if width - at < _SENTENCE or any(len(word) > width - at for word in sentence.split()):
        yield from (row.rstrip() for row in rows)
        yield from paragraph(sentence, width, 6)
        return
    for row, line in zip_longest(rows, fold(sentence, width - at)):
        yield f"{row or ' ' * row_width}  {line or ''}".rstrip()


def section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Writes a title and what stands under it; nothing where that is nothing."""
    listed = list(lines)
    if listed:
        yield ""
        yield f"  {click.style(title, bold=True, underline=True)}"
        yield from listed
