"""A script's syntax tree, by the real shell grammar, within a bound of work.

Over nesting, bad syntax and long words the grammar's library goes back again and again, which takes more than a second
for 16 KiB (measured). So it is watched while it parses. What counts is what it does, and not the time: a script is read
alike on any machine.
"""

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Point

_LANGUAGE = Language(tree_sitter_bash.language())
# The parser reports after every hundred of its steps. Bytes that a report stands for at least, over the whole script:
# in launch scripts it is 70 to 100 (measured).
_LEAST_ADVANCE = 48
_SLACK = 1 << 10
# Reports of an error times the script's bytes: a short script's error is worked around, a long one's is the end.
_MOST_ERRORS = 1 << 14
# How often the parser may go back to read again, and what lies ahead of it then, in bytes altogether. In launch scripts
# it goes back once a line of a here-document (measured).
_MOST_READS = 1 << 11
_MOST_AHEAD = 1 << 22
# What it takes in units of effort (measured): a report, a reading, and so many bytes ahead of a reading.
_REPORT = 20
_READING = 4
_AHEAD = 1 << 9


class Watch:
    """Lets the parser read a script, and gives it up where it is held up by errors, or does not get on.

    `broken` says that errors were the reason. The tree's nodes read their text here, once it is parsed.
    """

    def __init__(self, source: bytes) -> None:
        self.broken = b"\0" in source  # which no program can be given
        self._source = source
        self._parsed = False
        self._reports = self._errors = self._reads = self._ahead = 0

    @property
    def cost(self) -> int:
        """What parsing took, in units of effort."""
        return _REPORT * self._reports + _READING * self._reads + self._ahead // _AHEAD

    def parse(self) -> Node | None:
        """Returns the root of the syntax tree, which may have errors within; None where it was given up."""
        if self.broken:
            return None
        try:
            tree = Parser(_LANGUAGE).parse(self._read, progress_callback=self._gives_up)
        except ValueError:
            return None
        self._parsed = not self._weary
        return tree.root_node if self._parsed else None

    @property
    def _weary(self) -> bool:
        return self._reads > _MOST_READS or self._ahead > _MOST_AHEAD

    def _read(self, offset: int, _point: Point) -> bytes:
        if not self._parsed:
            self._reads += 1
            self._ahead += len(self._source) - offset
            if self._weary:
                return b""  # as if the script ended here
        return self._source[offset:]

    def _gives_up(self, offset: int, has_error: bool) -> bool:  # noqa: FBT001 - the library calls it
        self._reports += 1
        self._errors += has_error
        self.broken = self._errors * len(self._source) > _MOST_ERRORS and not self._weary
        return self.broken or self._weary or self._reports * _LEAST_ADVANCE > offset + _SLACK
