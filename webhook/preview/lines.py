"""Which line of a manifest a JSON pointer leads to."""

from typing import Any

import yaml

from webhook.preview.documents import Document
from webhook.preview.faults import line_at
from webhook.preview.kubeyaml import Loader

# The text has been read once within a tighter limit.
_MOST_NODES = 1_000_000


def line_of(document: Document, pointer: str) -> int | None:
    """Returns the line, from 1 within the file, of what a pointer leads to, or of the last part of it that is there.

    None where the text cannot be read as YAML, as some JSON cannot.
    """
    try:
        loader = Loader(document.own_text, most=_MOST_NODES)
        node: Any = loader.get_node() if loader.check_node() else None
    except yaml.YAMLError:
        return None
    if node is None:
        return None
    at = node.start_mark.index
    for part in pointer.split("/")[1:]:
        found = _step(node, part.replace("~1", "/").replace("~0", "~"))
        if found is None:
            break
        at, node = found
    return line_at(document.text, document.start + at)


def _step(node: yaml.Node, key: str) -> tuple[int, yaml.Node] | None:
    """Returns where a key or an item begins, and its value; of keys that come twice, the last counts."""
    if isinstance(node, yaml.MappingNode):
        held = ((name.start_mark.index, value) for name, value in reversed(node.value) if name.value == key)
        return next(held, None)
    if isinstance(node, yaml.SequenceNode) and key.isdecimal() and int(key) < len(node.value):
        item = node.value[int(key)]
        return item.start_mark.index, item
    return None
