"""Manifests in: a stream of YAML or JSON documents, with an error that says where and what.

What is too large, too deep or made to explode is refused before it is built.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import yaml

from webhook.preview.faults import explain_yaml, line_at
from webhook.preview.kubeyaml import LONGEST_INT, Loader
from webhook.preview.spans import Spans

# The API server takes at most 3 MiB an object; a stream holds a few of them.
MAX_BYTES = 16 * 1024 * 1024
# Nodes of a stream, once every alias is written out; a pod has a few hundred.
_MAX_NODES = 500_000
_MAX_DOCUMENTS = 2_000
_MAX_DEPTH = 100
_INK = re.compile(r"\S")
# What JSON takes for half of a character.
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_TOO_DEEP = f"nested more than {_MAX_DEPTH} levels deep"


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """One object of a stream: the file as it was named, its place in it from 1, what it says, and in which words."""

    file: str
    number: int
    value: dict[str, Any]
    # The whole file's, and from where to where in it the document goes.
    text: str
    start: int
    end: int
    is_json: bool

    @property
    def own_text(self) -> str:
        """The document's part of the file."""
        return self.text[self.start : self.end]


class _Found(msgspec.Struct, frozen=True):
    """A value, and where in the text it stands."""

    number: int
    value: Any
    start: int
    end: int


class UnreadableInputError(Exception):
    """Input that is no stream of Kubernetes objects; the message has the file, the document and the reason.

    `document` and `line` count from 1; `path` is a JSON pointer within the document.
    """

    def __init__(
        self, file: str, problem: str, *, document: int | None = None, line: int | None = None, path: str | None = None
    ) -> None:
        self.problem, self.document, self.line, self.path = problem, document, line, path
        places = ["standard input" if file == "-" else file]
        if document is not None:
            places.append(f"document {document}")
        if line is not None:
            places.append(f"line {line}")
        super().__init__(f"{', '.join(places)}: {problem}")


def read_documents(file: str, content: bytes) -> list[Document]:
    """Reads the objects of one file; empty documents count but are left out.

    Raises:
        UnreadableInputError: not UTF-8, not YAML or JSON, too large, or holding something that is no object.
    """
    if len(content) > MAX_BYTES:
        raise UnreadableInputError(file, f"larger than {MAX_BYTES // 2**20} MiB")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableInputError(file, f"not UTF-8 text: byte {content[error.start]:#04x}", line=line) from None
    return read_text(file, text)


def read_text(file: str, text: str) -> list[Document]:
    """Reads the objects of one file's text, as `read_documents` does.

    Raises:
        UnreadableInputError: not YAML or JSON, too large, or holding something that is no object.
    """
    begin = len(text) - len(text.removeprefix("\ufeff"))
    found = _json_values(file, text, begin) if text[begin:].lstrip()[:1] in {"{", "["} else None
    is_json = found is not None
    if found is None:
        found = list(_yaml_values(file, text, begin))
    return [
        Document(
            file=file,
            number=each.number,
            value=_object(file, each.number, each.value),
            text=text,
            start=each.start,
            end=each.end,
            is_json=is_json,
        )
        for each in found
        if each.value is not None
    ]


def _object(file: str, number: int, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else "a single value"
        raise UnreadableInputError(file, f"{kind}, not a Kubernetes object", document=number)
    return value


def _json_values(file: str, text: str, begin: int) -> list[_Found] | None:
    """Returns the values of a JSON stream; None where it is not JSON, as YAML may begin with a brace too."""
    decoder = json.JSONDecoder(parse_int=_int, parse_constant=_refuse_constant)
    values: list[_Found] = []
    start = _skip_space(text, begin)
    try:
        while start < len(text):
            value, end = decoder.raw_decode(text, start)
            values.append(_Found(len(values) + 1, value, start, end))
            _refuse_too_many(file, len(values))
            start = _skip_space(text, end)
    except RecursionError:
        raise UnreadableInputError(file, _TOO_DEEP, document=len(values) + 1) from None
    except ValueError:
        return None
    for each in values:
        if _deeper(each.value, _MAX_DEPTH):
            raise UnreadableInputError(file, _TOO_DEEP, document=each.number)
        if _HALF.search(text, each.start, each.end) and not _is_text(each.value):
            problem = "half of a character, such as \\ud800, without its other half"
            raise UnreadableInputError(file, problem, document=each.number)
    return values


def _is_text(value: object) -> bool:
    """Tells whether all text in a value can be written as UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _skip_space(text: str, start: int) -> int:
    found = _INK.search(text, start)
    return found.start() if found else len(text)


def _deeper(value: object, levels: int) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list) and (levels == 0 or any(_deeper(item, levels - 1) for item in value))


def _yaml_values(file: str, text: str, begin: int) -> Iterator[_Found]:
    number = 1
    spans = None
    try:
        loader = Loader(text[begin:], most=_MAX_NODES)
        while loader.check_node():
            _refuse_too_many(file, number)
            node: Any = loader.get_node()
            _Expansion(file, number, text[begin:]).size(node)
            spans = spans or Spans(text[begin:])
            start, end = spans.around(node.start_mark.index)
            yield _Found(number, _unshared(loader.construct_document(node)), begin + start, begin + end)
            number += 1
    except yaml.YAMLError as error:
        problem, line = explain_yaml(error, text[begin:])
        raise UnreadableInputError(file, f"not YAML: {problem}", document=number, line=line) from None


def _refuse_too_many(file: str, documents: int) -> None:
    if documents > _MAX_DOCUMENTS:
        raise UnreadableInputError(file, f"more than {_MAX_DOCUMENTS} documents", document=documents)


def _unshared(value: Any) -> Any:  # noqa: ANN401 (any YAML)
    """Writes aliases out, so that a patch of one place does not change the other."""
    if isinstance(value, dict):
        return {key: _unshared(item) for key, item in value.items()}
    return [_unshared(item) for item in value] if isinstance(value, list) else value


class _Expansion:
    """Counts the nodes of one document as if each alias were written out."""

    def __init__(self, file: str, number: int, text: str) -> None:
        self._file = file
        self._number = number
        self._text = text
        # 0 marks a node that is being counted.
        self._sizes: dict[int, int] = {}

    def size(self, node: yaml.Node, depth: int = 0) -> int:
        """Returns the number of nodes.

        Raises:
            UnreadableInputError: there are too many, or they are too deep, or without an end.
        """
        if depth > _MAX_DEPTH:
            raise self._refusal(_TOO_DEEP, node)
        if id(node) in self._sizes:
            if not self._sizes[id(node)]:
                raise self._refusal("an alias that contains itself", node)
            return self._sizes[id(node)]
        self._sizes[id(node)] = 0
        total = 1 + sum(self.size(child, depth + 1) for child in _children(node))
        if total > _MAX_NODES:
            raise self._refusal(f"aliases expand to over {_MAX_NODES} values", node)
        self._sizes[id(node)] = total
        return total

    def _refusal(self, problem: str, node: yaml.Node) -> UnreadableInputError:
        line = line_at(self._text, node.start_mark.index)
        return UnreadableInputError(self._file, problem, document=self._number, line=line)


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.SequenceNode):
        yield from node.value
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value


def _int(digits: str) -> int | float:
    """Reads a JSON whole number; a very long one becomes a float, as it does for the API server."""
    return int(digits) if len(digits) <= LONGEST_INT else float(digits)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON value")
