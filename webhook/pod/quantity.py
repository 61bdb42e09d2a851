"""Kubernetes quantities, read exactly.

Grammar of the API documentation of `resource.Quantity`: a signed decimal number, then a binary suffix (Ki to Ei), a
decimal suffix (n, u, m, none, k to E) or a decimal exponent (e3, E-2). Fractions of a unit round up, as
`Quantity.Value` does.
"""

import re
from fractions import Fraction

_BINARY = {suffix: 1024**power for power, suffix in enumerate(("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))}
_SCALE: dict[str, Fraction] = {
    **{suffix: Fraction(factor) for suffix, factor in _BINARY.items()},
    **{"n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 10**3)},
    **{suffix: Fraction(10 ** (3 * power)) for power, suffix in enumerate("kMGTPE", start=1)},
}
_SHAPE = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE]i|[numkMGTPE]?)|[eE]([+-]?[0-9]{1,3}))")
_LARGEST = 2**63 - 1


def parse_quantity(text: str | float) -> int:
    """Reads a quantity, in its base unit (bytes, for memory).

    Raises:
        ValueError: the text is no quantity, or does not fit the API's 63 bits.
    """
    match = _SHAPE.fullmatch(str(text).strip())
    if match is None:
        raise ValueError(f"{text!r} is not a quantity such as 4Gi, 500M or 1e9")
    sign, whole, fraction, suffix, exponent = match.groups()
    fraction = fraction or ""
    scale = Fraction(10) ** int(exponent) if exponent else _SCALE[suffix or ""]
    value = -(-Fraction(int(whole + fraction), 10 ** len(fraction)) * scale // 1)
    if value > _LARGEST:
        raise ValueError(f"{text!r} is larger than a quantity may be")
    return int(-value if sign == "-" else value)


def quantity_or_none(text: str | float | None) -> int | None:
    """The quantity, or None where it is absent, negative or not a quantity at all."""
    if text is None:
        return None
    try:
        value = parse_quantity(text)
    except ValueError:
        return None
    return value if value >= 0 else None
