"""One document's text with what is added to it: the user's own text amended, or the document written anew."""

import json
from collections.abc import Mapping
from typing import Any

import yaml

from webhook.preview.documents import Document, UnreadableInputError, read_text
from webhook.preview.kubeyaml import Loader, dump
from webhook.preview.rendering.amend import NotAmendableError, amend
from webhook.preview.rendering.edit import Edit, apply_edits, line_start
from webhook.preview.rendering.nodes import content_end
from webhook.preview.rendering.style import style_of

# A document that was read had no more.
_MAX_NODES = 500_000


def edits_of(document: Document, wanted: dict[str, Any]) -> list[Edit]:
    """Returns the edits of the file's text, in order, by which the document says what is wanted.

    They keep everything of the user's text where that can be done; what they make is read again, and where it is not
    what is wanted the document is written anew, its comments above and below aside.
    """
    if wanted == document.value:
        return []
    edits = _amended(document, wanted)
    if edits is None or not _says(document, edits, wanted):
        edits = [_anew(document.own_text, wanted)]
    return [Edit(document.start + edit.start, document.start + edit.end, edit.new) for edit in edits]


def _amended(document: Document, wanted: dict[str, Any]) -> list[Edit] | None:
    text = document.own_text
    root = _compose(text)
    try:
        return amend(text, root, document.value, wanted) if root else None
    except NotAmendableError:
        return None


def _says(document: Document, edits: list[Edit], wanted: dict[str, Any]) -> bool:
    """Tells whether the amended text reads as what is wanted, by the reader that read the document."""
    try:
        read = read_text(document.file, apply_edits(document.own_text, edits))
    except UnreadableInputError:
        return False
    return [each.value for each in read] == [wanted]


def _compose(text: str) -> yaml.Node | None:
    """Returns the document's nodes; None where the JSON in it is no YAML."""
    loader = Loader(text, most=_MAX_NODES)
    try:
        node: yaml.Node | None = loader.get_single_node()
    except yaml.YAMLError:
        return None
    return node


def _anew(text: str, wanted: Mapping[str, Any]) -> Edit:
    root = _compose(text)
    if root is None or style_of(text, root).is_json:
        return Edit(0, len(text), json.dumps(wanted, indent=2, ensure_ascii=False))
    newline = style_of(text, root).newline
    start, end = root.start_mark.index, content_end(text, root)
    if text[line_start(text, start) : start].strip():
        return Edit(start, end, (newline + dump(wanted)).rstrip("\n"))
    written = dump(wanted).replace("\n", newline)
    return Edit(line_start(text, start), end, written.removesuffix(newline))
