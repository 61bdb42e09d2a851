"""YAML as the API server's tools read it, in both directions.

A date or `12:30` is text, `1e3` is a number and `y` is a truth value for them, so text of that kind is quoted when
written; a key is always text.
"""

import re
from typing import Any

import yaml

_INT = "tag:yaml.org,2002:int"
_TEXT = "tag:yaml.org,2002:str"
_FLOAT = "tag:yaml.org,2002:float"
# Digits of a number that surely fits 64 bits; a longer one is read as a float.
LONGEST_INT = 18
_INT_PATTERN = re.compile(
    rf"[-+]?(?:0x[0-9a-fA-F_]{{1,16}}|0b[01_]{{1,64}}|0o?[0-7_]{{1,22}}|0|[1-9][0-9_]{{0,{LONGEST_INT - 1}}})$"
)
_FLOAT_PATTERN = re.compile(
    rf"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE])|[1-9][0-9]{{{LONGEST_INT},}})(?:[eE][-+]?[0-9]+)?$"
)


class Loader(yaml.CSafeLoader):
    """Reads documents into plain values with text keys, up to `most` nodes in the whole stream."""

    def __init__(self, stream: str, most: int) -> None:
        super().__init__(stream)
        self._most = self._left = most

    def descend_resolver(self, _parent: yaml.Node, _index: object) -> None:
        """Counts a node, as PyYAML calls this before it makes each one; it has no other use here."""
        self._left -= 1
        if self._left < 0:
            raise yaml.YAMLError(f"more than {self._most} values")

    yaml_implicit_resolvers = {  # noqa: RUF012 (PyYAML's own attribute)
        first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] in {"bool", "null", "merge"}]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 (PyYAML's signature)
        """Builds a mapping whose keys are text, merged keys among them."""
        self.flatten_mapping(node)
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                key.tag = _TEXT
        return super().construct_mapping(node, deep)


Loader.add_implicit_resolver(_INT, _INT_PATTERN, "-+0123456789")
Loader.add_implicit_resolver(_FLOAT, _FLOAT_PATTERN, "-+.0123456789")


class _Dumper(yaml.CSafeDumper):
    """Writes plain values, every alias written out."""

    def ignore_aliases(self, _value: object) -> bool:
        """Writes a value out wherever it stands."""
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(_TEXT, text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)
# Text that any reader might take for something else is quoted, besides what PyYAML itself would quote.
_Dumper.add_implicit_resolver(_FLOAT, _FLOAT_PATTERN, "-+.0123456789")
_Dumper.add_implicit_resolver(_INT, _INT_PATTERN, "-+0123456789")
_Dumper.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"[yYnN]$"), "yYnN")


# PyYAML breaks longer lines at a space; no value is that long.
_WIDTH = 2**30


def dump(value: object) -> str:
    """Writes one document in block style, keys in the order they have."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)


def dump_inline(value: object) -> str:
    """Writes a single value on one line, as it may stand between brackets and commas."""
    line = yaml.dump([value], Dumper=_Dumper, default_flow_style=True, allow_unicode=True, width=_WIDTH)
    return line.removeprefix("[").removesuffix("]\n")
