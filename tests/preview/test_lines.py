"""Which line a JSON pointer leads to."""

import pytest

from webhook.preview.documents import read_documents
from webhook.preview.lines import line_of

YAML = """# a comment
kind: Service
---
kind: Deployment
metadata:
  annotations:
    example.com/a: x
    fastload.dev/inject: true
items:
  - a: 1
    b: 2
  -
    c: {d: 3,
      e: 4}
kind: twice
merged: {<<: {f: 1}}
"""


@pytest.mark.parametrize(
    ("pointer", "line"),
    [
        ("", 4),
        ("/metadata/annotations/fastload.dev~1inject", 8),
        ("/items/0/b", 11),
        ("/items/1/c/e", 14),
        pytest.param("/kind", 15, id="the last of two counts"),
        pytest.param("/metadata/labels", 5, id="what is not there leads to what would hold it"),
        pytest.param("/merged/f", 16, id="a merged key stands elsewhere"),
        pytest.param("/items/7", 9, id="no such item"),
    ],
)
def test_a_pointer_leads_to_its_line(pointer: str, line: int) -> None:
    (_, document) = read_documents("-", YAML.encode())
    assert line_of(document, pointer) == line


def test_a_line_counts_within_the_file_whatever_ends_its_lines() -> None:
    (_, document) = read_documents("-", b"\xef\xbb\xbfa: 1\r\n---\r\n\r\nb:\r\n  c: 2\r\n")
    assert line_of(document, "/b/c") == 5


def test_json_has_lines_too_unless_yaml_does_not_read_it() -> None:
    (spaced,) = read_documents("-", b'{"a": {\n "b": 1}}')
    (tabbed,) = read_documents("-", b'{"a": {\n\t"b": 1}}')
    assert line_of(spaced, "/a/b") == 2
    assert line_of(tabbed, "/a/b") in {None, 2}
