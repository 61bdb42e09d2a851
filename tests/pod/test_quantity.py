"""Quantities read as the Kubernetes client reads them, rounded up to whole units."""

import math
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kubernetes.utils import parse_quantity as parse_as_the_client

from webhook.pod.quantity import parse_quantity, quantity_or_none

SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "k", "M", "G", "T", "P", "m", "u", "n", "e3", "E2", "e-3"]


@given(
    number=st.integers(0, 10**6),
    fraction=st.none() | st.text("0123456789", max_size=6),
    suffix=st.sampled_from(SUFFIXES),
    sign=st.sampled_from(["", "+", "-"]),
)
def test_a_quantity_is_what_the_client_makes_of_it(number: int, fraction: str | None, suffix: str, sign: str) -> None:
    text = f"{sign}{number}" + (f".{fraction}" if fraction is not None else "") + suffix
    expected = Decimal(number if fraction is None else f"{number}.{fraction or 0}")
    if suffix[:1].lower() == "e":
        magnitude = expected * Decimal(f"1{suffix}")
    else:
        magnitude = parse_as_the_client(f"{expected}{suffix}")  # type: ignore[no-untyped-call] # it has no types
    assume(magnitude < 2**63)
    rounded = math.ceil(magnitude)
    assert parse_quantity(text) == (-rounded if sign == "-" else rounded)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("64Gi", 64 * 1024**3),
        ("1.5Gi", 3 * 1024**3 // 2),
        (".5Ki", 512),
        ("1e9", 10**9),
        ("2E", 2 * 10**18),
        ("7Ei", 7 * 1024**6),
        ("1500m", 2),
        (8, 8),
        (1.5, 2),
        ("8388608000", 8_388_608_000),
        (" 4Gi ", 4 * 1024**3),
    ],
)
def test_a_quantity(text: str | float, amount: int) -> None:
    assert parse_quantity(text) == amount


@pytest.mark.parametrize(
    "text",
    ["", "Gi", "4 Gi", "4gi", "4GB", "four", "1e", "1e9Gi", "--4", ".", "0x10", "9e999", "1e" + "9" * 40, "8Ei", "nan"],
)
def test_what_is_no_quantity(text: str) -> None:
    with pytest.raises(ValueError, match="quantity"):
        parse_quantity(text)


@given(st.text() | st.integers() | st.floats())
def test_anything_at_all_is_a_quantity_or_none(value: str | float) -> None:
    amount = quantity_or_none(value)
    assert amount is None or 0 <= amount < 2**63


def test_a_negative_amount_counts_as_none() -> None:
    assert quantity_or_none("-1") is None
    assert quantity_or_none(None) is None
