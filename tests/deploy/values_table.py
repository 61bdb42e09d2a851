"""The chart's README: each value with the comment above it in `values.yaml`, as a table (`make docs`)."""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import yaml

from tests.deploy.rendering import CHART

README = CHART / "README.md"
VALUES = CHART / "values.yaml"

_HEAD = """# The fastload chart

[Operating fastload](../../docs/operating.md) says how it is installed, upgraded and removed. Every value is checked by
`values.schema.json`, so that a misspelt one ends `helm install` with its name. The table is made from `values.yaml` by
`make docs`.

| value | default | what it is |
| --- | --- | --- |
"""
_KEY = re.compile(r"( *)([A-Za-z]+):(?: |$)")


class Value(msgspec.Struct, frozen=True):
    """One value of the chart: its path of keys, its default and the comment above it."""

    path: tuple[str, ...]
    default: Any
    comment: str

    @property
    def name(self) -> str:
        return ".".join(self.path)


def documented() -> tuple[Value, ...]:
    """Every value that has a comment right above it."""
    return tuple(_documented())


def _documented() -> Iterator[Value]:
    defaults = yaml.safe_load(VALUES.read_text())
    path: list[str] = []
    comment: list[str] = []
    for line in VALUES.read_text().splitlines():
        key = _KEY.match(line)
        if line.lstrip().startswith("# "):
            comment.append(line.lstrip()[2:])
            continue
        if key:
            path = [*path[: len(key[1]) // 2], key[2]]
            if comment:
                yield Value(tuple(path), _at(defaults, path), " ".join(comment))
        comment = []


def readme() -> str:
    """What `deploy/chart/README.md` says."""
    rows = (
        f"| `{value.name}` | `{json.dumps(value.default)}` | {value.comment.replace('|', chr(92) + '|')} |\n"
        for value in documented()
    )
    return _HEAD + "".join(rows)


def _at(values: Any, path: list[str]) -> Any:  # noqa: ANN401 (a value of the chart)
    for key in path:
        values = values[key]
    return values


if __name__ == "__main__":
    README.write_text(readme())
