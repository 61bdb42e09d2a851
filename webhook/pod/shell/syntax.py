"""A script's syntax tree, by the real shell grammar, within a bound of work.

Over nesting and bad syntax the grammar's library takes time in square of the length (measured: 75 ms for 4 KiB, more
than 1 s for 16 KiB). So a long script is watched while it is parsed. What counts is what the parser does, and not the
time: a script is read alike on any machine.
"""

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Point

from webhook.pod.effort import TooLongError

_LANGUAGE = Language(tree_sitter_bash.language())
# Longer scripts are watched, in bytes.
_SHORT = 1 << 12
# The parser reports after every hundred of its steps. Bytes that a report stands for at least, over the whole script:
# in launch scripts it is 70 to 100 (measured).
_LEAST_ADVANCE = 48
_SLACK = 1 << 10
# How often the parser may go back to read again. In launch scripts it does once a line of a here-document (measured).
_MOST_READS = 1 << 11


class BadSyntaxError(Exception):
    """A script is no good syntax, or none that is told apart from bad in reasonable time."""


def tree_of(source: bytes) -> Node:
    """Returns the root of the syntax tree; a short script's may have errors within.

    Raises:
        BadSyntaxError: the source has a zero byte, which ends it for any shell, or is long and has an error.
        TooLongError: the source is long, and nested or ambiguous without end.
    """
    if b"\0" in source:
        raise BadSyntaxError
    if len(source) <= _SHORT:
        return Parser(_LANGUAGE).parse(source).root_node
    watch = _Watch(source)
    try:
        tree = Parser(_LANGUAGE).parse(watch.read, progress_callback=watch.gives_up)
    except ValueError:
        raise (BadSyntaxError if watch.met_error else TooLongError) from None
    if watch.weary:
        raise TooLongError
    watch.parsed = True
    return tree.root_node


class _Watch:
    """Lets a parser read, and gives it up at its first error or where it does not get on.

    The tree's nodes read their text here as well, once it is `parsed`.
    """

    def __init__(self, source: bytes) -> None:
        self.met_error = False
        self.parsed = False
        self._source = source
        self._reports = 0
        self._reads = 0

    @property
    def weary(self) -> bool:
        """Whether the parser went back too often; it is told then that the script ends."""
        return self._reads > _MOST_READS and not self.parsed

    def read(self, offset: int, _point: Point) -> bytes:
        self._reads += 1
        return b"" if self.weary else self._source[offset:]

    def gives_up(self, offset: int, has_error: bool) -> bool:  # noqa: FBT001 - the library calls it
        self.met_error = has_error and not self.weary
        self._reports += 1
        return has_error or self.weary or self._reports * _LEAST_ADVANCE > offset + _SLACK
