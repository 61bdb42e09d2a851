"""Values as the lines that a document's author might have written."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache

from webhook.preview.kubeyaml import dump, dump_inline
from webhook.preview.rendering.style import Style

# What no reader takes for anything but text, in brackets or out of them.
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*[./_-][A-Za-z0-9_./-]*")


class Writer:
    """Writes values in one style."""

    def __init__(self, style: Style) -> None:
        self._style = style

    def pairs(self, mapping: dict[str, object], column: int) -> Iterator[str]:
        """Yields the lines of a mapping's pairs whose keys stand in a column."""
        for key, value in mapping.items():
            yield from self.pair(key, value, column)

    def pair(self, key: str, value: object, column: int) -> Iterator[str]:
        """Yields the lines of a key and its value."""
        head = f"{' ' * column}{self._scalar(key)}:"
        if isinstance(value, dict) and value:
            yield head
            yield from self.pairs(value, column + self._style.step)
        elif isinstance(value, list) and value:
            yield head
            yield from self.items(value, column + self._style.dash)
        else:
            yield from self._lines(head, value, column)

    def items(self, values: list[object], column: int) -> Iterator[str]:
        """Yields the lines of a list whose dashes stand in a column."""
        for value in values:
            yield from self._item(value, column)

    def _item(self, value: object, column: int) -> Iterator[str]:
        inner = column + 2
        if isinstance(value, dict) and value:
            lines = list(self.pairs(value, inner))
        elif isinstance(value, list) and value:
            lines = list(self.items(value, inner))
        else:
            yield from self._lines(f"{' ' * column}-", value, column)
            return
        yield f"{' ' * column}- {lines[0][inner:]}"
        yield from lines[1:]

    def _lines(self, head: str, value: object, column: int) -> Iterator[str]:
        first, *rest = self._scalar(value).split("\n")
        yield f"{head} {first}"
        for line in rest:
            yield f"{' ' * column}{line}" if line else ""

    def _scalar(self, value: object) -> str:
        if isinstance(value, dict | list):
            return "{}" if isinstance(value, dict) else "[]"
        return _quoted(_block(value), value, self._style.quote)

    def flow(self, value: object, margin: str) -> str:
        """Returns a value as it may stand in brackets, in a line that begins with this margin."""
        if self._style.is_json:
            return self._json(value, margin)
        if isinstance(value, dict):
            pairs = (f"{self.flow(key, margin)}: {self.flow(each, margin)}" for key, each in value.items())
            return f"{{{', '.join(pairs)}}}"
        if isinstance(value, list):
            return f"[{', '.join(self.flow(each, margin) for each in value)}]"
        return _quoted(_inline(value), value, self._style.quote)

    def flow_pair(self, key: str, value: object, margin: str) -> str:
        """Returns a key and its value as they may stand in braces."""
        space = self._style.json_space if self._style.is_json else " "
        return f"{self.flow(key, margin)}:{space}{self.flow(value, margin)}"

    def _json(self, value: object, margin: str) -> str:
        step, space = self._style.json_step, self._style.json_space
        comma = "," if step is not None else f",{space}"
        written = json.dumps(value, indent=step, ensure_ascii=False, separators=(comma, f":{space}"))
        return written.replace("\n", self._style.newline + margin) if step is not None else written


@lru_cache(maxsize=4096, typed=True)
def _block(value: object) -> str:
    """Returns a single value as it stands behind a key or dash; its further lines from the column of that on."""
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return dump([value]).removeprefix("- ").removesuffix("\n")


@lru_cache(maxsize=4096, typed=True)
def _inline(value: object) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return dump_inline(value)


def _quoted(written: str, value: object, quote: str) -> str:
    """Takes the author's kind of quotes for what has to be quoted, where the text is the same in either."""
    if isinstance(value, str) and quote == '"' and written == f"'{value}'" and not {'"', "\\"} & set(value):
        return f'"{value}"'
    return written
