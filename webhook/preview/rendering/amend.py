"""What has to be written into a document so that it says what it should: edits of its own text.

Lines are put between the user's lines and entries between brackets, at the places that the YAML nodes' marks give, so
comments, quotes, empty lines and order stay as they are. What cannot be told so raises, and nobody relies on the rest
either: whoever uses the edits reads the result and compares.
"""

import re
from collections.abc import Iterable
from typing import Any

import yaml

from webhook.preview.rendering.edit import Edit, indentation, line_end, line_start
from webhook.preview.rendering.nodes import (
    begins_line,
    content_end,
    dash_column,
    is_flow,
    key_column,
    key_of,
)
from webhook.preview.rendering.style import style_of
from webhook.preview.rendering.writing import Writer

_ALIAS = re.compile(r"(?:\s|#.*|[-:,](?=\s))*(\*[^\s,\[\]{}]+)")
# Entries between brackets that would make a longer one stand on lines of their own, below the first.
_LONGEST_LINE = 120
_COMMENT = re.compile(r"( *)#.*")


class NotAmendableError(Exception):
    """The change is none that can be written into the text as it stands."""


def amend(text: str, root: yaml.Node, before: dict[str, Any], after: dict[str, Any]) -> list[Edit]:
    """Returns the edits that turn a document's text from one value to another, in order.

    Raises:
        NotAmendableError: something is taken away, or stands where no edit is known to be right.
    """
    amender = _Amender(text, root)
    amender.change(root, before, after)
    return amender.edits()


class _Amender:
    def __init__(self, text: str, root: yaml.Node) -> None:
        self._text = text
        self._style = style_of(text, root)
        self._write = Writer(self._style)
        # With how deep in the document each one is made: of two at one place, the inner one comes first.
        self._edits: list[tuple[int, Edit]] = []
        # What the anchored nodes that are changed where they stand come to.
        self._changed: dict[int, Any] = {}

    def edits(self) -> list[Edit]:
        by_place = sorted(self._edits, key=lambda each: (each[1].start, each[1].end, -each[0]))
        return [edit for _, edit in by_place]

    def change(self, node: yaml.Node, before: object, after: object, depth: int = 0) -> None:
        """Has a node that says `before` say `after`."""
        self._changed[id(node)] = after
        if isinstance(node, yaml.MappingNode) and isinstance(before, dict) and isinstance(after, dict):
            self._change_mapping(node, before, after, depth)
        elif isinstance(node, yaml.SequenceNode) and isinstance(before, list) and isinstance(after, list):
            self._change_list(node, before, after, depth)
        else:
            raise NotAmendableError

    def _change_mapping(
        self, node: yaml.MappingNode, before: dict[str, Any], after: dict[str, Any], depth: int
    ) -> None:
        if not before.keys() <= after.keys():
            raise NotAmendableError
        explicit = {key_of(key): (key, value) for key, value in node.value}
        added: dict[str, Any] = {}
        for key, wanted in after.items():
            if key in before and (before[key] is wanted or before[key] == wanted):
                continue
            if key in before and key in explicit:
                name, child = explicit[key]
                place = _Place(node, name.end_mark.index, depth + 1)
                self._change_child(place, child, before[key], wanted)
            else:
                # Also what came in by a merge: a key of its own goes before that.
                added[key] = wanted
        if added:
            self._add_pairs(node, added, depth)

    def _change_list(self, node: yaml.SequenceNode, before: list[Any], after: list[Any], depth: int) -> None:
        if len(before) > len(after) or len(before) != len(node.value):
            raise NotAmendableError
        reached = node.start_mark.index
        for child, said, wanted in zip(node.value, before, after, strict=False):
            if said is not wanted and said != wanted:
                self._change_child(_Place(node, reached, depth + 1), child, said, wanted)
            reached = max(reached, child.end_mark.index)
        if len(after) > len(before):
            self._add_items(node, after[len(before) :], depth)

    def _change_child(self, place: "_Place", child: yaml.Node, before: object, after: object) -> None:
        if child.start_mark.index < place.reached:
            if self._changed.get(id(child)) != after:
                self._replace_alias(place, after)
        elif isinstance(before, dict | list) and before and isinstance(after, type(before)):
            self.change(child, before, after, place.depth)
        elif isinstance(after, dict | list):
            self._fill(place, child, after)
        else:
            self._replace(place, child.start_mark.index, content_end(self._text, child), after)

    # In block style ------------------------------------------------------------------------------------------------

    def _add_pairs(self, node: yaml.MappingNode, added: dict[str, Any], depth: int) -> None:
        if is_flow(node):
            margin = self._margin(node)
            self._add_to_flow(node, [self._write.flow_pair(*pair, margin) for pair in added.items()], depth)
        else:
            column = key_column(node)
            # A template's metadata is looked for above its spec.
            if depth and "metadata" in added and begins_line(self._text, node.value[0][0].start_mark.index):
                self._add_first(node, {"metadata": added.pop("metadata")}, depth)
            if added:
                self._add_lines(self._behind(node, column), self._write.pairs(added, column), depth)

    def _add_first(self, node: yaml.MappingNode, added: dict[str, Any], depth: int) -> None:
        start = line_start(self._text, node.value[0][0].start_mark.index)
        lines = self._write.pairs(added, key_column(node))
        self._edits.append((depth, Edit(start, start, "".join(f"{line}{self._style.newline}" for line in lines))))

    def _add_items(self, node: yaml.SequenceNode, added: list[Any], depth: int) -> None:
        if is_flow(node) or not node.value:
            margin = self._margin(node)
            self._add_to_flow(node, [self._write.flow(item, margin) for item in added], depth)
        else:
            column = dash_column(self._text, node)
            # A comment in the column of the key that holds the list may be about the next key.
            self._add_lines(self._behind(node, column + 1), self._write.items(added, column), depth)

    def _behind(self, node: yaml.Node, column: int) -> int:
        """Returns the end of a node's last line, or of a comment below it that is indented by `column` or more."""
        end = line_end(self._text, content_end(self._text, node))
        while (start := end + (2 if self._text.startswith("\r\n", end) else 1)) < len(self._text):
            comment = _COMMENT.fullmatch(self._text, start, line_end(self._text, start))
            if comment is None or len(comment[1]) < column:
                break
            end = comment.end()
        return end

    def _add_lines(self, end: int, lines: Iterable[str], depth: int) -> None:
        new = "".join(f"{self._style.newline}{line}" for line in lines)
        self._edits.append((depth, Edit(end, end, new)))

    def _fill(self, place: "_Place", child: yaml.Node, after: dict[str, Any] | list[Any]) -> None:
        """Puts a list or mapping in the place of nothing: an empty value, a null, an empty list."""
        self._put(place, child.start_mark.index, child.end_mark.index, after)

    def _put(self, place: "_Place", start: int, end: int, after: dict[str, Any] | list[Any]) -> None:
        node = place.parent
        if is_flow(node) or not isinstance(node, yaml.MappingNode) or not after:
            self._replace(place, start, end, after)
            return
        column = key_column(node)
        if isinstance(after, dict):
            lines = self._write.pairs(after, column + self._style.step)
        else:
            lines = self._write.items(after, column + self._style.dash)
        if end > start:
            kept = len(self._text[line_start(self._text, start) : start].rstrip(" "))
            self._edits.append((place.depth, Edit(line_start(self._text, start) + kept, end, "")))
        self._add_lines(line_end(self._text, end), lines, place.depth)

    # In brackets ---------------------------------------------------------------------------------------------------

    def _margin(self, node: yaml.Node) -> str:
        """Returns the indentation of what stands on lines of its own in brackets; else that of their line."""
        last = node.value[-1] if isinstance(node, yaml.CollectionNode) and node.value else node
        first = last[0] if isinstance(last, tuple) else last
        return indentation(self._text, first.start_mark.index)

    def _add_to_flow(self, node: yaml.CollectionNode, written: list[str], depth: int) -> None:
        if not node.value:
            raise NotAmendableError
        last = node.value[-1]
        begin, final = last if isinstance(last, tuple) else (last, last)
        if final.start_mark.index < begin.start_mark.index or begin.start_mark.index < node.start_mark.index:
            raise NotAmendableError
        end, start = final.end_mark.index, begin.start_mark.index
        between = self._style.json_space if self._style.is_json else " "
        added = sum(len(each) + 2 for each in written)
        if begins_line(self._text, start):
            between = self._style.newline + indentation(self._text, start)
        elif not self._style.is_json and end + added - line_start(self._text, end) > _LONGEST_LINE:
            between = self._style.newline + " " * (node.start_mark.column + 1)
        self._edits.append((depth, Edit(end, end, "".join(f",{between}{each}" for each in written))))

    def _replace(self, place: "_Place", start: int, end: int, after: object) -> None:
        margin = indentation(self._text, start)
        space = " " if self._text[start - 1 : start] in {":", "-"} else ""
        self._edits.append((place.depth, Edit(start, end, space + self._write.flow(after, margin))))

    def _replace_alias(self, place: "_Place", after: object) -> None:
        """Writes out what an alias stands for, where that is no longer the same as at its anchor."""
        found = _ALIAS.match(self._text, place.reached)
        if found is None:
            raise NotAmendableError
        if isinstance(after, dict | list):
            self._put(place, *found.span(1), after)
        else:
            self._replace(place, *found.span(1), after)


class _Place:
    """Where a child stands: below which node, behind which place in the text, how deep in the document."""

    def __init__(self, parent: yaml.Node, reached: int, depth: int) -> None:
        self.parent = parent
        self.reached = reached
        self.depth = depth
