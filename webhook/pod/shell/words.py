"""Words of the grammar's tree turned into pieces: quotes, escapes, expansions.

The grammar's nodes do not cover all text within quotes, and a token may start with the blanks before it; so literal
text is taken from the gaps between expansions, by byte offset, and never from the tokens.
"""

from collections.abc import Iterator

from tree_sitter import Node

from webhook.pod.shell.patterns import is_simple
from webhook.pod.shell.program import (
    Arithmetic,
    Expression,
    Number,
    Operand,
    Operation,
    Piece,
    Text,
    Unclear,
    Unreadable,
    Variable,
    Word,
)

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "e": "\x1b", "0": ""}
_OPERATORS = frozenset({":-", "-", ":+", "+", ":=", "=", ":?", "?"})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "**"})
_GLOB = frozenset("*?")


def text_of(node: Node) -> str:
    """The node's source text."""
    return (node.text or b"").decode("utf-8", "replace")


def word_of(node: Node, *, quoted: bool = False) -> Word:
    """The pieces of one word; `quoted` for an expansion within double quotes, whose result is not split."""
    match node.type:
        case "word" | "number" | "regex" | "extglob_pattern" | "test_operator":
            return _bare(text_of(node).lstrip())
        case "raw_string":
            return (Text(text_of(node).strip()[1:-1], quoted=True),)
        case "ansi_c_string":
            return (Text(_ansi(text_of(node).strip()[2:-1]), quoted=True),)
        case "string" | "translated_string":
            return _string(node)
        case "concatenation" | "command_name" if node.children:
            return _joined(node, quoted=quoted)
        case _:
            return (_expansion(node, quoted=quoted),)


def _joined(node: Node, *, quoted: bool) -> Word:
    pieces = tuple(piece for child in node.children for piece in word_of(child, quoted=quoted))
    bare = "".join(piece.text for piece in pieces if isinstance(piece, Text) and not piece.quoted)
    if len(node.children) > 1 and "{" in bare and "," in bare and "}" in bare:
        return (Unreadable("a brace expansion"),)
    return pieces


_UNREADABLE = {
    "command_substitution": "the output of a command",
    "process_substitution": "a process substitution",
    "brace_expression": "a brace expansion",
}


def _expansion(node: Node, *, quoted: bool) -> Piece:
    match node.type:
        case "simple_expansion":
            return Variable(text_of(node.children[-1]).strip(), quoted)
        case "expansion":
            return _braced(node, quoted=quoted)
        case "arithmetic_expansion":
            inner = [child for child in node.children if child.is_named]
            return Arithmetic(expression_of(inner[0]) if len(inner) == 1 else Unclear())
        case kind if node.child_count == 0 and kind not in _UNREADABLE:
            return Text(text_of(node).strip(), quoted)
        case kind:
            return Unreadable(_UNREADABLE.get(kind, "syntax that is not followed"))


def _bare(text: str) -> Word:
    """Unquoted source text: backslashes go; `~` and patterns depend on the node's file system."""
    plain = unescaped(text)
    if plain.startswith("~"):
        user, slash, rest = plain.partition("/")
        home: Piece = Variable("HOME", quoted=True) if user == "~" else Unreadable("a home folder")
        return (home, Text(slash + rest, quoted=False))
    if plain[:1] in ("/", ".") and not _GLOB.isdisjoint(plain) and "\\" not in text:
        return (Unreadable("the files that match a pattern"),)
    return (Text(plain, quoted=False),)


def unescaped(text: str, only: str | None = None) -> str:
    """Takes backslashes away: before any character, or only before those listed; a newline after one goes too."""
    if "\\" not in text:
        return text
    done: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        follower = text[at + 1 : at + 2]
        if character == "\\" and follower and (only is None or follower in only or follower == "\n"):
            done.append("" if follower == "\n" else follower)
            at += 2
        else:
            done.append(character)
            at += 1
    return "".join(done)


def _ansi(text: str) -> str:
    done: list[str] = []
    at = 0
    while at < len(text):
        follower = text[at + 1 : at + 2]
        if text[at] == "\\" and follower in _ESCAPES and follower:
            done.append(_ESCAPES[follower])
            at += 2
        else:
            done.append(text[at])
            at += 1
    return "".join(done)


def _string(node: Node) -> Word:
    """A double-quoted string: literal text is whatever lies between its expansions."""
    first, last = node.children[0], node.children[-1]
    pieces = gaps(node, first.end_byte, last.end_byte - 1, escapes='$`"\\')
    return pieces or (Text("", quoted=True),)


def gaps(node: Node, start: int, end: int, *, escapes: str | None) -> Word:
    """The pieces of a stretch of source between two byte offsets within a node.

    Expansions among the node's children become pieces; all else in the stretch is literal text. `escapes` are the
    characters that a backslash quotes in double quotes or a here-document; None stands for unquoted text.
    """
    source, base, quoted = node.text or b"", node.start_byte, escapes is not None
    pieces: list[Piece] = []

    def literal(upto: int) -> None:
        text = source[start - base : upto - base].decode("utf-8", "replace")
        if text:
            pieces.append(Text(unescaped(text, escapes), quoted))

    for child in _flat(node):
        if child.start_byte < start or child.end_byte > end or not child.is_named or child.type in _PLAIN:
            continue
        blanks = len(child.text or b"") - len((child.text or b"").lstrip())
        literal(child.start_byte + blanks)
        pieces.extend(word_of(child, quoted=quoted))
        start = child.end_byte
    literal(end)
    return tuple(pieces)


_PLAIN = frozenset({"string_content", "heredoc_content", "word", "number", "regex"})


def _flat(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type == "concatenation":
            yield from _flat(child)
        else:
            yield child


def _braced(node: Node, *, quoted: bool) -> Piece:
    """`${...}` with the operators that supply, replace or trim a value; others are not followed."""
    children = node.children
    at = next((i for i, child in enumerate(children) if child.type in _NAMES), None)
    if at != 1:
        return Unreadable("an expansion that is not followed")
    name, index = _name_of(children[at])
    operator = text_of(children[at + 1]).strip() if at + 1 < len(children) - 1 else ""
    if not operator:
        return Variable(name, quoted, index=index)
    source = (node.text or b"")[children[at + 1].end_byte - node.start_byte : -1].decode("utf-8", "replace")
    if not index and is_simple(operator, source):
        return Variable(name, quoted, operator, (Text(source, quoted=True),))
    if operator not in _OPERATORS or index not in ("", "@"):
        return Unreadable(f"${{{name}{operator}...}}")
    escapes = '$`"\\}' if quoted else None
    operand = gaps(node, children[at + 1].end_byte, node.end_byte - 1, escapes=escapes)
    return Variable(name, quoted, operator, operand, index)


_NAMES = frozenset({"variable_name", "special_variable_name", "subscript"})


def _name_of(node: Node) -> tuple[str, str]:
    if node.type != "subscript":
        return text_of(node).strip(), ""
    index = node.child_by_field_name("index")
    name = node.child_by_field_name("name")
    return text_of(name).strip() if name else "", text_of(index).strip() if index else "?"


def expression_of(node: Node) -> Expression:
    """An arithmetic expression of integers, variables and the usual operators."""
    inner = [child for child in node.children if child.is_named]
    match node.type:
        case "number" | "word" | "variable_name":
            text = text_of(node).strip()
            if text.isdecimal():
                return Number(int(text)) if not text.startswith("0") or text == "0" else Unclear()
            return Operand((Variable(text, quoted=True),)) if text.isidentifier() else Unclear()
        case "simple_expansion" | "expansion" | "string":
            return Operand(word_of(node, quoted=True))
        case "parenthesized_expression" if len(inner) == 1:
            return expression_of(inner[0])
        case "binary_expression" | "unary_expression":
            return _operation(node)
        case _:
            return Unclear()


def _operation(node: Node) -> Expression:
    operator = node.child_by_field_name("operator")
    symbol = text_of(operator).strip() if operator else ""
    operands = [child for child in node.children if child.is_named and child != operator]
    if node.type == "unary_expression" and symbol in ("-", "+") and len(operands) == 1:
        return Operation(symbol, Number(0), expression_of(operands[0]))
    if symbol in _ARITHMETIC and len(operands) == 2:  # noqa: PLR2004 - a binary operator has two operands
        return Operation(symbol, expression_of(operands[0]), expression_of(operands[1]))
    return Unclear()
