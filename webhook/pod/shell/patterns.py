"""`${NAME%pattern}` and its like, for patterns that are plain text with at most one `*`."""

import re
from collections.abc import Callable

# No quotes, backslashes, expansions, brackets or `?`; `~` and `&` mean something in some places. Short, since a
# replacement repeats it.
_PLAIN = r"[^*?\\'\"`$\[\](){}~&]{0,64}"
_TRIMMED = re.compile(rf"{_PLAIN}\*?{_PLAIN}")
# A slash, `#` or `%` in front changes the operator.
_REPLACED = re.compile(rf"(?![/#%]){_PLAIN}")


def is_simple(operator: str, operand: str) -> bool:
    """Whether an operator and the source text after it are followed here."""
    shape = _REPLACED if operator in ("/", "//") else _TRIMMED
    return operator in _OPERATORS and shape.fullmatch(operand) is not None


def applied(operator: str, operand: str, value: str) -> str:
    """What an expansion makes of a value."""
    return _OPERATORS[operator](value, operand)


def _first_replaced(value: str, operand: str) -> str:
    pattern, _, replacement = operand.partition("/")
    return value.replace(pattern, replacement, 1) if pattern else value


def _all_replaced(value: str, operand: str) -> str:
    pattern, _, replacement = operand.partition("/")
    return value.replace(pattern, replacement) if pattern else value


def _without_start(value: str, pattern: str, *, longest: bool) -> str:
    head, star, tail = pattern.partition("*")
    if not value.startswith(head):
        return value
    at = len(head)
    if star:
        at = value.rfind(tail, at) if longest else value.find(tail, at)
    return value[at + len(tail) :] if at >= 0 else value


def _without_end(value: str, pattern: str, *, longest: bool) -> str:
    head, star, tail = pattern.partition("*")
    if not star:
        return value.removesuffix(pattern)
    end = len(value) - len(tail)
    if end < 0 or not value.endswith(tail):
        return value
    at = value.find(head, 0, end) if longest else value.rfind(head, 0, end)
    return value[:at] if at >= 0 else value


_OPERATORS: dict[str, Callable[[str, str], str]] = {
    "#": lambda value, pattern: _without_start(value, pattern, longest=False),
    "##": lambda value, pattern: _without_start(value, pattern, longest=True),
    "%": lambda value, pattern: _without_end(value, pattern, longest=False),
    "%%": lambda value, pattern: _without_end(value, pattern, longest=True),
    "/": _first_replaced,
    "//": _all_replaced,
}
