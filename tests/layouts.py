"""Pods in any layout that people write YAML in: quotes, comments, indentation, brackets or not."""

from typing import Any

from hypothesis import strategies as st

Value = str | list["Value"] | dict[str, "Value"]

_WORDS = st.sampled_from(
    ["a", "x: y", "it's", 'say "so"', "17", "yes", "# no", "é", "two\nlines\n", "", " lead", "- a"]
)
_COMMENTS = st.sampled_from(["", "", "", "  # why", "\n", "\n# left", "\n        # right"])


class _Writer:
    """Writes values in one author's indentation, and in forms drawn one by one."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._step = draw(st.sampled_from([2, 4]))
        self._dash = draw(st.sampled_from([0, 2, 4]))

    def mapping(self, value: dict[str, Value], column: int) -> str:
        return "\n".join(self._pair(key, each, column) for key, each in value.items())

    def _pair(self, key: str, value: Value, column: int) -> str:
        written = f"{' ' * column}{key}:{self._node(value, column)}"
        comment = self._draw(_COMMENTS)
        # Behind the lines of a text a comment on the last one would be of the text.
        return written if "|\n" in written and comment.startswith(" ") else written + comment

    def _node(self, value: Value, column: int) -> str:
        if isinstance(value, str):
            return f" {self._scalar(value, column)}"
        if self._draw(st.integers(0, 3)) == 0:
            return f" {self._flow(value)}"
        if isinstance(value, dict):
            return f"\n{self.mapping(value, column + self._step)}"
        return "".join(f"\n{self._item(each, column + self._dash)}" for each in value)

    def _item(self, value: Value, column: int) -> str:
        if isinstance(value, dict):
            return f"{' ' * column}- {self.mapping(value, column + 2)[column + 2 :]}"
        return f"{' ' * column}- {self._scalar(str(value), column)}"

    def _flow(self, value: Value) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {self._flow(each)}" for key, each in value.items()) + "}"
        if isinstance(value, list):
            comma = self._draw(st.sampled_from([", ", ",\n" + " " * 40]))
            return f"[{comma.join(self._flow(each) for each in value)}]"
        return _quoted(value)

    def _scalar(self, value: str, column: int) -> str:
        if "\n" in value and self._draw(st.booleans()):
            margin = " " * (column + self._step)
            return "|\n" + "\n".join(f"{margin}{line}" for line in value.splitlines())
        plain = value.isalpha() and value.isascii() and value != "yes"
        return value if plain and self._draw(st.booleans()) else _quoted(value)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@st.composite
def layouts(draw: st.DrawFn) -> str:
    """The text of a pod."""
    words = st.lists(_WORDS, min_size=1, max_size=3)
    entries = st.lists(st.fixed_dictionaries({"name": _WORDS, "value": _WORDS}), min_size=1, max_size=3)
    container = st.fixed_dictionaries({"name": _WORDS}, optional={"args": words, "env": entries, "image": _WORDS})
    containers = {"containers": container.map(lambda each: [each])}
    spec = st.fixed_dictionaries(containers, optional={"volumes": entries, "node": _WORDS})
    metadata = st.fixed_dictionaries({"name": _WORDS}, optional={"annotations": st.just({"team": "a"})})
    parts: list[tuple[str, Any]] = [("kind", "Pod"), ("metadata", draw(metadata)), ("spec", draw(spec))]
    text = _Writer(draw).mapping(dict(draw(st.permutations(parts))), 0) + draw(st.sampled_from(["\n", "", "\n\n"]))
    return text.replace("\n", "\r\n") if draw(st.integers(0, 5)) == 0 else text
