"""From a script's text to its program, by the real shell grammar.

Programs are remembered by text: a fleet runs few different scripts. The grammar knows bash, of which the other shells'
scripts are for this purpose a part.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import msgspec
from tree_sitter import Node

from webhook.pod.shell.assignments import assign, assignments, declare, unset
from webhook.pod.shell.program import (
    AndOr,
    Assign,
    Broken,
    Child,
    Command,
    Declare,
    Define,
    Group,
    Loop,
    Maybe,
    Statement,
    Test,
    Text,
    Word,
)
from webhook.pod.shell.syntax import Watch
from webhook.pod.shell.words import gaps, text_of, word_of

_DECLARATIONS = frozenset({"export", "declare", "typeset", "local", "readonly"})
# Nesting beyond this is nobody's launch script, and would only exhaust the stack.
_DEEPEST = 40
_LONGEST = 1 << 14


class Parsed(msgspec.Struct, frozen=True):
    """The program of a script, None where the script is longer or deeper than any launch script; and what that took.

    The cost is in units of effort, and the same where the program was remembered.
    """

    program: tuple[Statement, ...] | None
    cost: int


@lru_cache(maxsize=256)
def parse(script: str) -> Parsed:
    """Reads a script; stretches that are not good syntax are `Broken`."""
    # To a shell nothing is left of a last line that is continued; the grammar takes it for bad syntax.
    source = script.removesuffix("\\\n").encode("utf-8", "replace")
    if len(source) > _LONGEST:
        return Parsed(None, 0)
    watch = Watch(source)
    root = watch.parse()
    if root is not None:
        return Parsed(tuple(_statements(root, 0)), watch.cost)
    return Parsed((Broken((), script),) if watch.broken else None, watch.cost)


def _statements(node: Node, depth: int) -> Iterator[Statement]:
    """The statements directly within a node; one followed by `&` runs in a shell of its own."""
    if depth > _DEEPEST:
        yield Broken((), text_of(node))
        return
    if node.type == "ERROR":
        yield Broken(tuple(_salvaged(node.children, depth)), text_of(node))
        return
    waiting: Statement | None = None
    for at, child in enumerate(node.children):
        if child.type == "&":
            waiting = Child((waiting,)) if waiting is not None else None
        elif child.is_named and child.type != "comment" and node.field_name_for_child(at) != "value":
            if waiting is not None:
                yield waiting
            waiting = _statement(child, depth)
    if waiting is not None:
        yield waiting


def _salvaged(nodes: Iterable[Node], depth: int) -> Iterator[Statement]:
    for node in nodes:
        if node.is_named and node.type in _STATEMENTS:
            yield _statement(node, depth + 1)


def _statement(node: Node, depth: int) -> Statement:
    if depth > _DEEPEST:
        return Broken((), text_of(node))
    if node.has_error or node.type not in _STATEMENTS:
        return Broken(tuple(_salvaged(node.children, depth)), text_of(node))
    leaf = _LEAVES.get(node.type)
    return leaf(node) if leaf is not None else _BRANCHES[node.type](node, depth + 1)


def _group(node: Node, depth: int) -> Statement:
    return Group(tuple(_statements(node, depth)))


def _compound(node: Node, depth: int) -> Statement:
    """`{ ... }` or `(( ... ))`."""
    if node.children and node.children[0].type == "((":
        return _test(node)
    return _group(node, depth)


def _child(node: Node, depth: int) -> Statement:
    return Child(tuple(_statements(node, depth)))


def _pipeline(node: Node, depth: int) -> Statement:
    return Group(tuple(Child((stage,)) for stage in _statements(node, depth)))


def _maybe(node: Node, depth: int) -> Statement:
    """A branch or a `for` loop: its condition runs, its bodies may. Loop variables are the loop's."""
    conditions = node.children_by_field_name("condition")
    names = tuple(text_of(name).strip() for name in node.children_by_field_name("variable"))
    certain: list[Statement] = []
    possible: list[Statement] = []
    for child in node.children:
        if not child.is_named or child.type in _NO_STATEMENT:
            continue
        if child in conditions and child.type in _STATEMENTS:
            certain.append(_statement(child, depth))
        elif child.type in _BODIES:
            possible.extend(_statements(child, depth))
        elif child.type in _STATEMENTS:
            possible.append(_statement(child, depth))
    return Group((*certain, Maybe(tuple(possible), names)))


def _loop(node: Node, depth: int) -> Statement:
    """`while` or `until`; endless where its condition is the word for it."""
    ending = _ENDLESS.get(node.children[0].type, ())
    conditions = [child for child in node.children_by_field_name("condition") if child.type in _STATEMENTS]
    body = node.child_by_field_name("body")
    return Loop(
        tuple(_statement(child, depth) for child in conditions),
        tuple(_statements(body, depth)) if body is not None else (),
        endless=len(conditions) == 1 and text_of(conditions[0]).strip() in ending,
    )


_ENDLESS = {"while": ("true", ":"), "until": ("false",)}
_NO_STATEMENT = frozenset({"comment", "variable_name"})
_BODIES = frozenset({"do_group", "elif_clause", "else_clause", "case_item"})


def _function(node: Node, depth: int) -> Statement:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return Broken((), text_of(node))
    return Define(text_of(name).strip(), _statement(body, depth))


def _and_or(node: Node, depth: int) -> Statement:
    operator = next((child.type for child in node.children if child.type in ("&&", "||")), "&&")
    sides = [_statement(child, depth) for child in node.children if child.is_named and child.type != "comment"]
    if len(sides) != 2:  # noqa: PLR2004 - a list of the grammar has two sides
        return Broken(tuple(sides), text_of(node))
    return AndOr(sides[0], operator, sides[1])


def _test(node: Node) -> Statement:
    names: list[str] = []
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        waiting.extend(inner.children)
        if inner.type == "variable_name":
            names.append(text_of(inner).strip())
    return Test(tuple(names) if node.type == "compound_statement" else ())


def _negated(node: Node, depth: int) -> Statement:
    return Test((), tuple(_statements(node, depth)))


def _command(node: Node) -> Statement:
    """A simple command.

    The grammar takes assignments on one line and a command on the next for one command; a newline tells them apart,
    and it matters: in front of a command they are its environment, on a line of their own they are variables.
    """
    before: list[Statement] = []
    assigns: list[Assign] = []
    words: list[Word] = []
    heredoc: Word | None = None
    end = node.start_byte
    for child in node.children:
        if assigns and not words and _newline_between(node, end, child.start_byte):
            before.extend(assigns)
            assigns.clear()
        end = child.end_byte
        if child.type == "variable_assignment":
            assigns.append(assign(child))
        elif child.type == "herestring_redirect":
            heredoc = (*word_of(child.children[-1]),)
        elif child.is_named and child.type not in ("comment", "file_redirect", "heredoc_redirect"):
            words.append(word_of(child))
    command = _named(tuple(assigns), tuple(words), heredoc)
    return Group((*before, command)) if before else command


def _named(assigns: tuple[Assign, ...], words: tuple[Word, ...], heredoc: Word | None) -> Statement:
    """A command, or the declaration that it is when its first word says so."""
    first = words[0] if words else ()
    if len(first) == 1 and getattr(first[0], "text", None) in _DECLARATIONS:
        return Declare(getattr(first[0], "text", ""), (), words[1:])
    return Command(assigns, words, heredoc)


def _newline_between(node: Node, start: int, end: int) -> bool:
    gap = (node.text or b"")[start - node.start_byte : end - node.start_byte]
    return b"\n" in gap.replace(b"\\\n", b"")


def _redirected(node: Node, depth: int) -> Statement:
    """A statement with redirections: of these, a here-document and the file it goes to may matter."""
    body = node.child_by_field_name("body")
    inner = _statement(body, depth) if body is not None else Command((), ())
    before: tuple[Statement, ...] = ()
    if isinstance(inner, Group) and body is not None and body.type == "command":
        *lines, inner = inner.body
        before = tuple(lines)
    if not isinstance(inner, Command):
        return inner if not before else Group((*before, inner))
    heredoc, words, output, appends, then = inner.heredoc, inner.words, None, False, None
    for redirect in _redirects(node):
        if redirect.type == "heredoc_redirect":
            heredoc = _heredoc(redirect)
            words += tuple(word_of(word) for word in redirect.children_by_field_name("argument"))
            then = redirect
        elif redirect.type == "herestring_redirect":
            heredoc = word_of(redirect.children[-1])
        elif any(child.type in _WRITES for child in redirect.children):
            target = redirect.child_by_field_name("destination")
            output = word_of(target) if target is not None else None
            appends = any(child.type in (">>", "&>>") for child in redirect.children)
    command = Command(inner.assigns, words, heredoc, output, appends)
    done = command if then is None else _after_heredoc(command, then, depth)
    return Group((*before, done)) if before else done


_WRITES = frozenset({">", ">|", "&>", ">>", "&>>"})


def _redirects(node: Node) -> Iterator[Node]:
    """The redirections of a statement; the grammar hangs those after a here-document below it."""
    for redirect in node.children_by_field_name("redirect"):
        yield redirect
        yield from (child for child in redirect.children if child.type == "file_redirect")


def _after_heredoc(command: Command, redirect: Node, depth: int) -> Statement:
    """What stands on the line of a here-document after it: a pipe, `&&`, `||`; the grammar hangs it below it too."""
    pipe = next((child for child in redirect.children if child.type == "pipeline"), None)
    if pipe is not None:
        return Group((Child((command,)), *(Child((stage,)) for stage in _statements(pipe, depth))))
    right, operator = redirect.child_by_field_name("right"), redirect.child_by_field_name("operator")
    if right is None or operator is None:
        return command
    return AndOr(command, operator.type, _statement(right, depth))


def _heredoc(redirect: Node) -> Word | None:
    body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
    if body is None:
        return ()
    start = next((text_of(child) for child in redirect.children if child.type == "heredoc_start"), "")
    if any(mark in start for mark in "'\"\\"):
        return (Text(text_of(body), quoted=True),)
    return gaps(body, body.start_byte, body.end_byte, escapes="$`\\")


_LEAVES: dict[str, Callable[[Node], Statement]] = {
    "command": _command,
    "declaration_command": declare,
    "unset_command": unset,
    "variable_assignment": assign,
    "variable_assignments": assignments,
    "test_command": _test,
}
# Statements that hold others; the number is how deep they lie.
_BRANCHES: dict[str, Callable[[Node, int], Statement]] = {
    "program": _group,
    "redirected_statement": _redirected,
    "pipeline": _pipeline,
    "list": _and_or,
    "compound_statement": _compound,
    "subshell": _child,
    "negated_command": _negated,
    "if_statement": _maybe,
    "while_statement": _loop,
    "for_statement": _maybe,
    "c_style_for_statement": _maybe,
    "case_statement": _maybe,
    "function_definition": _function,
}
_STATEMENTS = frozenset({*_LEAVES, *_BRANCHES})
