"""Reading manifests: every form that is taken, and what is said of the others."""

import json

import pytest

from webhook.preview.documents import UnreadableInputError, read_documents


def values(text: str) -> list[dict[str, object]]:
    return [document.value for document in read_documents("pods.yaml", text.encode())]


def test_documents_are_numbered_from_one_and_empty_ones_count() -> None:
    documents = read_documents("pods.yaml", b"---\n# nothing\n---\nkind: Pod\n---\nkind: Job\n")
    assert [(document.number, document.value["kind"]) for document in documents] == [(2, "Pod"), (3, "Job")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"kind": "Pod"}\n{"kind": "Job"}', id="JSON, one after the other"),
        pytest.param('{"kind": "Pod"}\n---\n{"kind": "Job"}', id="JSON in a YAML stream"),
        pytest.param("{kind: Pod}\n---\n{kind: Job}", id="YAML in braces"),
        pytest.param('\ufeff{"kind": "Pod"} {"kind": "Job"}', id="byte order mark"),
        pytest.param("kind: Pod\r\n---\r\nkind: Job\r\n", id="line ends of another system"),
    ],
)
def test_a_stream_is_read_in_every_form(text: str) -> None:
    assert values(text) == [{"kind": "Pod"}, {"kind": "Job"}]


def test_tabs_are_fine_in_json() -> None:
    assert values('{\n\t"kind":\t"Pod"\n}') == [{"kind": "Pod"}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2026-01-01", "2026-01-01", id="a date is text"),
        pytest.param("12:30", "12:30", id="sixty is no base"),
        pytest.param("1e3", 1000.0, id="an exponent needs no dot"),
        pytest.param("0x1f", 31, id="hexadecimal"),
        pytest.param("0777", 511, id="octal"),
        pytest.param("yes", True, id="an old truth value"),
        pytest.param("v1.5", "v1.5", id="a version is text"),
        pytest.param("=", "=", id="an equals sign is text"),
        pytest.param("~", None, id="null"),
        pytest.param("18446744073709551616", 18446744073709551616.0, id="beyond 64 bits"),
        pytest.param("9" * 5000, float("inf"), id="beyond anything"),
    ],
)
def test_yaml_values_are_the_api_servers(text: str, expected: object) -> None:
    assert values(f"key: {text}") == [{"key": expected}]


def test_a_very_long_json_number_is_no_trouble() -> None:
    assert values('{"key": %s}' % ("9" * 5000)) == [{"key": float("inf")}]


def test_keys_are_text() -> None:
    assert values("1: a\ntrue: b\nx: &x {2: c}\ny: {<<: *x}") == [
        {"1": "a", "true": "b", "x": {"2": "c"}, "y": {"2": "c"}}
    ]


def test_aliases_and_merges_are_followed() -> None:
    assert values("a: &a {x: 1}\nb: {<<: *a, y: 2}\nc: *a") == [{"a": {"x": 1}, "b": {"x": 1, "y": 2}, "c": {"x": 1}}]


def test_an_alias_is_a_copy() -> None:
    (value,) = values("a: &a [{x: 1}]\nb: *a")
    assert value["a"] == value["b"]
    assert value["a"] is not value["b"]


def bomb(*, merge: bool) -> str:
    lines = ["a: &a {k: 1}"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        aliases = ", ".join([f"*{before}"] * 9)
        lines.append(f"{name}: &{name} {{<<: [{aliases}]}}" if merge else f"{name}: &{name} [{aliases}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"a: \xff", "pods.yaml, line 1: not UTF-8 text: byte 0xff", id="not UTF-8"),
        pytest.param(
            b"kind: Pod\n---\na:\n\tb: 1",
            "pods.yaml, document 2, line 4: not YAML: a tab, where YAML takes spaces only",
            id="tab",
        ),
        pytest.param(b"- kind: Pod", "pods.yaml, document 1: a list, not a Kubernetes object", id="list"),
        pytest.param(
            b"kind: Pod\n---\nhello", "pods.yaml, document 2: a single value, not a Kubernetes object", id="text"
        ),
        pytest.param(
            b"a: &x [*x]", "pods.yaml, document 1, line 1: an alias that contains itself", id="alias of itself"
        ),
        pytest.param(
            bomb(merge=False).encode(),
            "pods.yaml, document 1, line 7: aliases expand to over 500000 values",
            id="alias bomb",
        ),
        pytest.param(
            bomb(merge=True).encode(),
            "pods.yaml, document 1, line 7: aliases expand to over 500000 values",
            id="merge bomb",
        ),
        pytest.param(
            b"{a: " * 500 + b"1" + b"}" * 500,
            "pods.yaml, document 1, line 1: nested more than 100 levels deep",
            id="deep YAML",
        ),
        pytest.param(
            b'{"a": ' * 500 + b"1" + b"}" * 500,
            "pods.yaml, document 1: nested more than 100 levels deep",
            id="deep JSON",
        ),
        pytest.param(
            b'{"a": ' * 500_000, "pods.yaml, document 1: nested more than 100 levels deep", id="bottomless JSON"
        ),
        pytest.param(
            b"a: !secret x",
            "pods.yaml, document 1, line 1: not YAML: could not determine a constructor for the tag '!secret'",
            id="unknown tag",
        ),
        pytest.param(
            b"kind: Pod\nmetadata: {name: x",
            "pods.yaml, document 1, line 2: not YAML: while parsing a flow mapping did not find expected ',' or '}'",
            id="open brace",
        ),
        pytest.param(
            b"a: *nowhere", "pods.yaml, document 1, line 1: not YAML: found undefined alias", id="undefined alias"
        ),
        pytest.param(
            b"- a\n" * 500_001, "pods.yaml, document 1: not YAML: more than 500000 values", id="too many YAML values"
        ),
        pytest.param(b"---\n" * 2001, "pods.yaml, document 2001: more than 2000 documents", id="too many documents"),
        pytest.param(b"{}" * 2001, "pods.yaml, document 2001: more than 2000 documents", id="too many JSON documents"),
        pytest.param(
            b'{"a": "\\ud83d\\ude00"} {"a": "\\ud83d"}',
            "pods.yaml, document 2: half of a character, such as \\ud800, without its other half",
            id="half of a character",
        ),
        pytest.param(
            "# é\nname: ü\nscript: \x1b[0m".encode(),
            "pods.yaml, document 1, line 3: not YAML: the character 0x1b, which no YAML holds",
            id="control character",
        ),
        pytest.param(
            b"name: {{ .Values.name }}",
            "pods.yaml, document 1, line 1: not YAML: a template's placeholder, {{ }}; render the chart first, by helm "
            "template",
            id="a chart's template",
        ),
        pytest.param(
            'a: "\u2028\x85"\r\nb: ]'.encode(),
            "pods.yaml, document 1, line 2: not YAML: while parsing a block node did not find expected node content",
            id="line breaks that no editor counts",
        ),
        pytest.param(b"#" * (16 * 2**20 + 1), "pods.yaml: larger than 16 MiB", id="too large"),
    ],
)
def test_unreadable_input_is_named_with_document_line_and_reason(content: bytes, message: str) -> None:
    with pytest.raises(UnreadableInputError) as raised:
        read_documents("pods.yaml", content)
    assert str(raised.value) == message


def test_standard_input_has_a_name() -> None:
    with pytest.raises(UnreadableInputError, match=r"^standard input, document 1: a list"):
        read_documents("-", json.dumps([]).encode())
