"""Integer arithmetic as the shell does it, over values that may be unknown."""

import operator
from collections.abc import Callable

from webhook.pod.shell.program import Expression, Number, Operand, Operation, Word

_LARGEST = 2**63


def _quotient(left: int, right: int) -> int:
    """Division towards zero, as in C and in the shell."""
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": lambda left, right: left - right * _quotient(left, right),
    "<": lambda left, right: int(left < right),
    ">": lambda left, right: int(left > right),
    "<=": lambda left, right: int(left <= right),
    ">=": lambda left, right: int(left >= right),
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "&&": lambda left, right: int(bool(left) and bool(right)),
    "||": lambda left, right: int(bool(left) or bool(right)),
}


def evaluate(expression: Expression, text_of: Callable[[Word], str]) -> int | None:
    """The value of an expression, or None where it cannot be told; `text_of` gives a variable's text."""
    match expression:
        case Number(value):
            return value
        case Operand(word):
            return _integer(text_of(word))
        case Operation(symbol, left, right):
            return _combine(symbol, evaluate(left, text_of), evaluate(right, text_of))
        case _:
            return None


def _combine(symbol: str, left: int | None, right: int | None) -> int | None:
    apply = _OPERATORS.get(symbol)
    if apply is None or left is None or right is None or (symbol in "/%" and right == 0):
        return None
    result = apply(left, right)
    return result if abs(result) < _LARGEST else None


def _integer(text: str) -> int | None:
    """A variable's text as a number; empty counts as 0, octal and names of other variables are not followed."""
    text = text.strip()
    if not text:
        return 0
    digits = text.removeprefix("-")
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 19 or (digits[0] == "0" and digits != "0"):  # noqa: PLR2004 - digits of 2^63
        return None
    return int(text)
