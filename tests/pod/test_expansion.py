"""`$(NAME)` as the kubelet expands it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pod.small_pods import codes, container, engine_container, facts_of
from webhook.pod.expansion import expand, expand_each, reference
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


@pytest.mark.parametrize("text", ["$(A)" * 30_000, "$(" * 100_000, "$$" * 100_000, "$(unset)" * 30_000])
def test_many_references_expand_in_good_time_to_a_text_or_a_hole(text: str) -> None:
    assert len(expand(text, {"A": "1" * 100})) < len(text) + 2**17


def test_references_that_double_a_text_end_in_a_hole() -> None:
    names = [f"A{number}" for number in range(60)]
    entries = [{"name": "A0", "value": "x" * 10}]
    entries += [{"name": name, "value": f"$({before})$({before})"} for before, name in pairwise(names)]
    facts = facts_of(container(command=["vllm", "serve", "$(A59)", "--seed", "$(A5)"], env=entries))
    assert codes(facts) == ["unknown-model"]
    values = engine_container(facts).env.values
    assert values["A5"] == "x" * 320
    assert values["A59"] is None
    assert sum(len(value or "") for value in values.values()) < 2**18


def test_texts_that_grow_too_long_together_end_in_holes() -> None:
    expanded = list(expand_each(["$(A)", "--flag", "$(B)"] * 1000, {"A": "x" * 50_000, "B": "y"}))
    assert expanded[:3] == ["x" * 50_000, "--flag", "y"]
    assert sum(map(len, expanded)) < 2**20
    assert not is_known(expanded[-3])
    assert expanded[-2] == "--flag"


@given(st.text(alphabet="$()AB x", max_size=30))
def test_expansion_only_ever_touches_what_follows_a_dollar(text: str) -> None:
    done = expand(text, {"A": "a", "B": "b"}, reference)
    assert len(done) <= len(text)
    if "$" not in text:
        assert done == text
