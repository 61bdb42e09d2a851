"""The nodes of a YAML document, and where in its text they stand."""

from collections.abc import Iterator

import yaml

from webhook.preview.rendering.edit import line_start


def key_of(node: yaml.Node) -> str | None:
    """Returns a mapping's key, which is text; None for a key that is no scalar."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else None


def is_flow(node: yaml.Node) -> bool:
    """Tells whether a node is a list or mapping in brackets."""
    return isinstance(node, yaml.CollectionNode) and bool(node.flow_style)


def children(node: yaml.Node) -> Iterator[yaml.Node]:
    """Yields what stands in a collection, keys aside, in the order of the text."""
    if isinstance(node, yaml.MappingNode):
        yield from (value for _, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def begins_line(text: str, index: int) -> bool:
    """Tells whether only white space stands before a place in its line."""
    return not text[line_start(text, index) : index].strip()


def dash_column(text: str, items: yaml.SequenceNode) -> int:
    """Returns the column of the dashes of a list in block style."""
    first = items.value[0]
    dash = text.rfind("-", items.start_mark.index, first.start_mark.index + 1)
    return dash - line_start(text, dash) if dash >= 0 else int(items.start_mark.column)


def key_column(mapping: yaml.MappingNode) -> int:
    """Returns the column of the keys of a mapping in block style."""
    return int(mapping.value[0][0].start_mark.column)


def content_end(text: str, node: yaml.Node) -> int:
    """Returns where the last character of a node stands that counts; the empty lines behind a script are not of it."""
    last = node
    while isinstance(last, yaml.CollectionNode) and not last.flow_style and last.value:
        before, inner = _last_two(last)
        if inner.start_mark.index < before:
            return _last_line(text, last)
        last = inner
    if isinstance(last, yaml.ScalarNode) and last.style in {"|", ">"}:
        kept = last.value.endswith("\n\n") or not last.value.strip("\n")
        return _before_break(text, last.end_mark.index) if kept else _stripped(text, last)
    return int(last.end_mark.index)


def _last_two(node: yaml.CollectionNode) -> tuple[int, yaml.Node]:
    """Returns the last child, and the end of what stands before it: an alias is a child that stands elsewhere."""
    if isinstance(node, yaml.MappingNode):
        key, value = node.value[-1]
        return key.end_mark.index, value
    before = node.value[-2].end_mark.index if len(node.value) > 1 else node.start_mark.index
    return before, node.value[-1]


def _last_line(text: str, node: yaml.Node) -> int:
    """Returns where the last line within a node ends that is neither empty nor a comment."""
    end = len(text[: node.end_mark.index].rstrip())
    while text[line_start(text, end) : end].lstrip().startswith("#"):
        end = len(text[: line_start(text, end)].rstrip())
    return end


def _before_break(text: str, index: int) -> int:
    """Steps back over the line break behind the lines of a text that keeps them all."""
    if index == len(text) and not text.endswith("\n"):
        return index
    before = index - 1
    return before - 1 if text[before - 1 : before] == "\r" else before


def _stripped(text: str, node: yaml.Node) -> int:
    return node.start_mark.index + len(text[node.start_mark.index : node.end_mark.index].rstrip())
