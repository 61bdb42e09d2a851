"""Files as they were given, and with what fastload adds: as one stream, and as a diff of them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from webhook.preview.documents import Document
from webhook.preview.rendering.document import edits_of
from webhook.preview.rendering.edit import Edit, apply_edits
from webhook.preview.rendering.unified import unified_diff

_MARKER = "---"


class AmendedFile(msgspec.Struct, frozen=True):
    """A file's documents, and the edits of its text that have them say what they are to say."""

    documents: tuple[Document, ...]
    edits: tuple[Edit, ...]

    @property
    def text(self) -> str:
        """The file as it was given."""
        return self.documents[0].text


def amended_files(documents: Sequence[Document], wanted: Sequence[dict[str, Any]]) -> Iterator[AmendedFile]:
    """Yields the files that hold documents, in the order of the input."""
    for _, group in groupby(zip(documents, wanted, strict=True), key=lambda pair: id(pair[0].text)):
        pairs = list(group)
        edits = tuple(edit for document, value in pairs for edit in edits_of(document, value))
        yield AmendedFile(tuple(document for document, _ in pairs), edits)


def as_yaml(files: Iterable[AmendedFile]) -> str:
    """Returns the files as one stream of YAML; a single file is as it was, but for what is added."""
    stream = ""
    for file in files:
        separator = "" if not stream or _begins_with_marker(file) else f"{_MARKER}\n"
        if stream and not stream.endswith("\n"):
            separator = f"\n{separator}"
        stream += separator + apply_edits(file.text, _with_markers(file))
    return stream


def as_diff(files: Iterable[AmendedFile]) -> str:
    """Returns what changes as `patch -p0` takes it; nothing where nothing does."""
    return "".join(line for file in files for line in unified_diff(file.documents[0].file, file.text, file.edits))


def _begins_with_marker(file: AmendedFile) -> bool:
    first = file.documents[0]
    return not first.is_json and first.own_text.startswith(_MARKER)


def _with_markers(file: AmendedFile) -> tuple[Edit, ...]:
    """Returns the edits, and between objects of JSON, which may follow each other by themselves, what YAML wants."""
    first, *rest = file.documents
    if not first.is_json or not rest:
        return file.edits
    markers = (Edit(document.start, document.start, f"\n{_MARKER}\n") for document in rest)
    return tuple(sorted((*file.edits, *markers), key=lambda edit: (edit.start, edit.end)))
