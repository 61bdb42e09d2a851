"""Statements that only name variables: assignments, declarations, unset."""

from tree_sitter import Node

from webhook.pod.shell.program import Assign, Declare, Group, Statement, Unreadable, Unset
from webhook.pod.shell.words import text_of, word_of


def assign(node: Node) -> Assign:
    """`NAME=word`, `NAME+=word`, `NAME=(words)`, `NAME[index]=word`."""
    target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    append = any(child.type == "+=" for child in node.children)
    inner = target.child_by_field_name("name") if target is not None and target.type == "subscript" else None
    name = text_of(inner or target).strip() if target is not None else ""
    if value is not None and _apart(node, value):
        return Assign(name, (Unreadable("syntax that is not followed"),), None, append)
    if value is not None and value.type == "array":
        elements = tuple(word_of(item) for item in value.children if item.is_named and item.type != "comment")
        return Assign(name, (), elements, append)
    return Assign(name, word_of(value) if value is not None else (), None, append, indexed=inner is not None)


def _apart(node: Node, value: Node) -> bool:
    """Whether blanks stand between `=` and what the grammar takes for the value; to a shell the value is empty."""
    equals = next((child.end_byte for child in node.children if child.type in ("=", "+=")), value.start_byte)
    return equals != value.start_byte or (value.text or b"")[:1].isspace()


def assignments(node: Node) -> Statement:
    """Several assignments on one line."""
    return Group(tuple(assign(child) for child in node.children if child.type == "variable_assignment"))


def declare(node: Node) -> Statement:
    """`export` and its like, whose words may be options, assignments, names or expansions."""
    assigns = tuple(assign(child) for child in node.children if child.type == "variable_assignment")
    words = tuple(
        word_of(child)
        for child in node.children[1:]
        if child.is_named and child.type not in ("variable_assignment", "comment")
    )
    return Declare(node.children[0].type, assigns, words)


def unset(node: Node) -> Statement:
    """`unset NAME...`; an option among the words is no name and does no harm."""
    return Unset(tuple(text_of(child).strip() for child in node.children[1:] if child.is_named))
