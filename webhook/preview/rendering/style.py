"""The habits of a document's author, so that what is added looks like what is there."""

from collections.abc import Iterator
from itertools import islice

import msgspec
import yaml

from webhook.preview.rendering.edit import indentation
from webhook.preview.rendering.nodes import begins_line, children, dash_column, is_flow, key_column

_STEP = 2
# A document shows its author's habits in its first hundreds of nodes or not at all.
_LOOKED_AT = 2_000


class Style(msgspec.Struct, frozen=True, kw_only=True):
    """How a document is written; indentation in characters."""

    newline: str = "\n"
    # Of a mapping's keys below the key that holds the mapping, and of a list's dashes.
    step: int = _STEP
    dash: int = 0
    quote: str = '"'
    # JSON: on lines of its own with this indentation, or all on one line where that is None.
    is_json: bool = False
    json_step: str | None = None
    json_space: str = " "


def style_of(text: str, root: yaml.Node) -> Style:
    """Reads the habits from a document."""
    steps: list[int] = []
    dashes: list[int] = []
    for parent, child in islice(_nested(root), _LOOKED_AT):
        if isinstance(child, yaml.MappingNode):
            steps.append(key_column(child) - key_column(parent))
        else:
            dashes.append(dash_column(text, child) - key_column(parent))
        if steps and dashes:
            break
    step = next((each for each in steps if each > 0), _STEP)
    is_json, json_step = _json(text, root)
    return Style(
        newline="\r\n" if "\r\n" in text else "\n",
        step=step,
        dash=next((each for each in dashes if each >= 0), 0),
        quote='"' if text.count('"') >= text.count("'") else "'",
        is_json=is_json,
        json_step=json_step,
        json_space=" " if '": ' in text else "",
    )


def _nested(node: yaml.Node) -> Iterator[tuple[yaml.MappingNode, yaml.MappingNode | yaml.SequenceNode]]:
    """Yields each collection in block style that is a value of a mapping in block style, with that mapping."""
    for child in children(node):
        if is_flow(child) or child.start_mark.index < node.start_mark.index or not child.value:
            continue
        if isinstance(child, yaml.MappingNode | yaml.SequenceNode):
            if isinstance(node, yaml.MappingNode):
                yield node, child
            yield from _nested(child)


def _json(text: str, root: yaml.Node) -> tuple[bool, str | None]:
    if not isinstance(root, yaml.MappingNode) or not is_flow(root) or not root.value:
        return False, None
    first = root.value[0][0].start_mark.index
    if text[first] != '"':
        return False, None
    outer, inner = indentation(text, root.start_mark.index), indentation(text, first)
    return True, inner.removeprefix(outer) if begins_line(text, first) else None
