"""Chains of `&&` and `||`: which commands ask a question, and which can be relied on to succeed."""

from webhook.pod.shell.program import (
    AndOr,
    Assign,
    Child,
    Command,
    Declare,
    Define,
    Group,
    Statement,
    Test,
    Text,
    Unreadable,
    Unset,
)

# Programs that ask a question, so that what follows `&&` is a branch.
_TESTS = frozenset({"test", "[", "grep", "false", "pgrep", "which", "command", "type", "hash", "cmp", "diff"})
# What sets up: it succeeds, or the pod is of no use anyway.
_SETTING_UP = frozenset(
    {
        *(":", "true", "echo", "printf", "cd", "pushd", "popd", "set", "shift", "umask", "ulimit", "trap", "sleep"),
        *("mkdir", "touch", "chmod", "chown", "ln", "source", ".", "pip", "pip3", "uv", "apt", "apt-get", "apk"),
    }
)


def chain_of(statement: AndOr) -> tuple[Statement, list[tuple[str, Statement]]]:
    """A chain's first command, and each later one with the operator before it."""
    links: list[tuple[str, Statement]] = []
    first: Statement = statement
    while isinstance(first, AndOr):
        links.append((first.operator, first.right))
        first = first.left
    return first, links[::-1]


def asks(statement: Statement) -> bool:
    """Whether a statement asks a question."""
    match statement:
        case Test():
            return True
        case AndOr(left, _, right):
            return asks(left) or asks(right)
        case Group(body) | Child(body) if body:
            return asks(body[-1])
        case _:
            return _name(statement) in _TESTS


def succeeds(statement: Statement) -> bool:
    """Whether a statement can be relied on to succeed."""
    match statement:
        case Declare() | Unset() | Define():
            return True
        case Assign(_, word, elements):
            return not any(isinstance(piece, Unreadable) for part in (word, *(elements or ())) for piece in part)
        case AndOr(left, operator, right):
            return (any if operator == "||" else all)(map(succeeds, (left, right)))
        case Command(assigns, ()):
            return all(map(succeeds, assigns))
        case Group(body) | Child(body) if body:
            return succeeds(body[-1])
        case _:
            return _name(statement) in _SETTING_UP


def _name(statement: Statement) -> str | None:
    """The name of a simple command, where it stands there as text."""
    match statement:
        case Command(_, ((Text(name),), *_)):
            return name
        case _:
            return None
