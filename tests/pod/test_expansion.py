"""`$(NAME)` as the kubelet expands it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.pod.expansion import expand, reference
from webhook.pod.unknown import is_known, masked

VALUES = {"A": "1", "B": "two words", "EMPTY": "", "REF": "$(A)"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("$(A)", "1"),
        ("x$(A)y$(B)z", "x1ytwo wordsz"),
        ("$(EMPTY)", ""),
        ("$(REF)", "$(A)"),
        ("$$(A)", "$(A)"),
        ("$$$(A)", "$1"),
        ("$$", "$"),
        ("$A ${A}", "$A ${A}"),
        ("a$", "a$"),
        ("$(A", "$(A"),
        ("$(unset)", "?"),
        ("$()", "?"),
        ("--node-rank=$(LWS_WORKER_INDEX)", "--node-rank=?"),
    ],
)
def test_expansion(text: str, expected: str) -> None:
    assert masked(expand(text, VALUES)) == expected


def test_in_a_script_an_unresolved_reference_stays_as_it_is_written() -> None:
    assert expand("echo $(hostname) $(A)", VALUES, reference) == "echo $(hostname) 1"


def test_an_unresolved_reference_is_not_known() -> None:
    assert not is_known(expand("s3://$(BUCKET)/m", VALUES))


@given(st.text(alphabet="$()AB x", max_size=30))
def test_expansion_only_ever_touches_what_follows_a_dollar(text: str) -> None:
    done = expand(text, {"A": "a", "B": "b"}, reference)
    assert len(done) <= len(text)
    if "$" not in text:
        assert done == text
