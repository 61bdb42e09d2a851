"""A shell script as a small immutable tree: what matters for telling what it launches, and no more.

Built once per script text by `grammar`, walked by `interpreter`. Words are sequences of pieces; a statement that may
or may not run is `Maybe`, and one that the grammar could not make sense of is `Broken`.
"""

from typing import TypeAlias

import msgspec


class Text(msgspec.Struct, frozen=True):
    """Literal text, its quotes and backslashes already taken away."""

    text: str
    quoted: bool


class Variable(msgspec.Struct, frozen=True):
    """`$NAME`, `${NAME}`, `${NAME[@]}` or `${NAME<operator>operand}`."""

    name: str
    quoted: bool
    operator: str = ""
    operand: "tuple[Piece, ...]" = ()
    # "" for a plain name, "@" or "*" for all elements of an array, else one index.
    index: str = ""


class Arithmetic(msgspec.Struct, frozen=True):
    """`$((expression))`."""

    expression: "Expression"


class Unreadable(msgspec.Struct, frozen=True):
    """A piece whose text only the running script knows, such as `$(command)`."""

    what: str


Piece: TypeAlias = Text | Variable | Arithmetic | Unreadable
Word: TypeAlias = tuple[Piece, ...]


class Number(msgspec.Struct, frozen=True):
    """An integer in an arithmetic expression."""

    value: int


class Operand(msgspec.Struct, frozen=True):
    """A variable or a quoted word in an arithmetic expression."""

    word: Word


class Operation(msgspec.Struct, frozen=True):
    """Two operands and what joins them; a unary minus has 0 on its left."""

    operator: str
    left: "Expression"
    right: "Expression"


class Unclear(msgspec.Struct, frozen=True):
    """Arithmetic beyond what is followed here: assignments, ternaries, bits."""


Expression: TypeAlias = Number | Operand | Operation | Unclear


class Assign(msgspec.Struct, frozen=True):
    """`NAME=word`, `NAME+=word`, `NAME=(words)`; with an index only one element, whose rest is not followed."""

    name: str
    word: Word = ()
    elements: tuple[Word, ...] | None = None
    append: bool = False
    indexed: bool = False


class Command(msgspec.Struct, frozen=True):
    """A simple command: assignments in front of it, its words, a here-document and the file that takes its output."""

    assigns: tuple[Assign, ...]
    words: tuple[Word, ...]
    heredoc: Word | None = None
    output: Word | None = None
    appends: bool = False


class Declare(msgspec.Struct, frozen=True):
    """`export`, `declare`, `local`, `readonly` or `typeset` with options, assignments and other words."""

    keyword: str
    assigns: tuple[Assign, ...]
    words: tuple[Word, ...]


class Unset(msgspec.Struct, frozen=True):
    """`unset` and the names it takes away."""

    names: tuple[str, ...]


class Test(msgspec.Struct, frozen=True):
    """`[ ... ]`, `[[ ... ]]`, `(( ... ))` or a negated command: something whose outcome steers what follows.

    `names` are the variables that an arithmetic test may change.
    """

    names: tuple[str, ...] = ()
    body: "tuple[Statement, ...]" = ()


class AndOr(msgspec.Struct, frozen=True):
    """`left && right` or `left || right`."""

    left: "Statement"
    operator: str
    right: "Statement"


class Child(msgspec.Struct, frozen=True):
    """Statements that run in a shell of their own, so that what they assign is lost: `( )`, pipes, `&`."""

    body: "tuple[Statement, ...]"


class Group(msgspec.Struct, frozen=True):
    """`{ ... }`, or a statement list."""

    body: "tuple[Statement, ...]"


class Maybe(msgspec.Struct, frozen=True):
    """Statements that may run, once, often or never: branches, loops, cases. `names` are loop variables."""

    body: "tuple[Statement, ...]"
    names: tuple[str, ...] = ()


class Loop(msgspec.Struct, frozen=True):
    """`while` or `until`: the condition runs at least once, and so does the body of an endless loop."""

    condition: "tuple[Statement, ...]"
    body: "tuple[Statement, ...]"
    endless: bool


class Define(msgspec.Struct, frozen=True):
    """A function definition."""

    name: str
    body: "Statement"


class Broken(msgspec.Struct, frozen=True):
    """A stretch that is not good shell syntax, with what could be made out of it and the text itself."""

    body: "tuple[Statement, ...]"
    text: str


Statement: TypeAlias = (
    Assign | Command | Declare | Unset | Test | AndOr | Child | Group | Maybe | Loop | Define | Broken
)
