"""A script's syntax tree, by the real shell grammar, within a bound of work.

Over nesting and bad syntax the grammar's library takes time in square of the length (measured: 75 ms for 4 KiB, more
than 1 s for 16 KiB). So a long script is watched while it is parsed. What counts is how far the parser has come at each
report, which it makes after every hundred of its steps, and not the time: a script is read alike on any machine.
"""

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from webhook.pod.effort import TooLongError

_LANGUAGE = Language(tree_sitter_bash.language())
# Longer scripts are watched, in bytes.
_SHORT = 1 << 12
# Bytes that a report stands for at least, over the whole script. In launch scripts it is 70 to 100 (measured).
_LEAST_ADVANCE = 48
_SLACK = 1 << 10


class BadSyntaxError(Exception):
    """A script is no good syntax, or none that is told apart from bad in reasonable time."""


def tree_of(source: bytes) -> Node:
    """Returns the root of the syntax tree; a short script's may have errors within.

    Raises:
        BadSyntaxError: the source has a zero byte, which ends it for any shell, or is long and has an error.
        TooLongError: the source is long and nested without end.
    """
    if b"\0" in source:
        raise BadSyntaxError
    if len(source) <= _SHORT:
        return Parser(_LANGUAGE).parse(source).root_node
    watch = _Watch()
    try:
        return Parser(_LANGUAGE).parse(lambda offset, _: source[offset:], progress_callback=watch.gives_up).root_node
    except ValueError:
        raise (BadSyntaxError if watch.met_error else TooLongError) from None


class _Watch:
    """Gives a parse up at its first error, and where it does not get on."""

    def __init__(self) -> None:
        self.met_error = False
        self._reports = 0

    def gives_up(self, offset: int, has_error: bool) -> bool:  # noqa: FBT001 - the library calls it
        self.met_error = has_error
        self._reports += 1
        return has_error or self._reports * _LEAST_ADVANCE > offset + _SLACK
