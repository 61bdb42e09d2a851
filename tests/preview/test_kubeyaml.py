"""Writing YAML: what is written reads back as the same, for us and for the API server's tools."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.preview.documents import read_documents
from webhook.preview.kubeyaml import dump

_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.just("\n"), max_size=20)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXT
)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3), max_leaves=12
)


@given(st.dictionaries(_TEXT, _VALUES))
def test_every_value_reads_back(value: dict[str, object]) -> None:
    read = read_documents("x", dump(value).encode())
    assert [document.value for document in read] == [value]


@pytest.mark.parametrize("text", ["1e3", "y", "N", "yes", "off", "0o17", "2026-01-01", "12:30", "null", "~", "1_000"])
def test_text_that_a_reader_could_take_for_something_else_is_quoted(text: str) -> None:
    assert dump({"value": text}) == f"value: '{text}'\n"


def test_keys_keep_their_order_and_scripts_their_lines() -> None:
    assert dump({"z": 1, "a": "one\ntwo\n"}) == "z: 1\na: |\n  one\n  two\n"


def test_a_shared_value_is_written_out_each_time() -> None:
    shared = {"x": 1}
    assert dump({"a": shared, "b": shared}) == "a:\n  x: 1\nb:\n  x: 1\n"
