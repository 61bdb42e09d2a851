"""Kubernetes quantities, read exactly.

Grammar of the API documentation of `resource.Quantity`: a signed decimal number, then a binary suffix (Ki to Ei), a
decimal suffix (n, u, m, none, k to E) or a decimal exponent (e3, E-2). Fractions of a unit round away from zero, as
`Quantity.Value` does.
"""

import re

# Each suffix as a fraction: what the number is multiplied by, and what it is divided by.
_SCALE: dict[str, tuple[int, int]] = {
    "": (1, 1),
    **{suffix: (1, 1000**power) for power, suffix in enumerate("mun", start=1)},
    **{suffix: (1000**power, 1) for power, suffix in enumerate("kMGTPE", start=1)},
    **{f"{letter}i": (1024**power, 1) for power, letter in enumerate("KMGTPE", start=1)},
}
_SHAPE = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE]i|[numkMGTPE]?)|[eE]([+-]?[0-9]{1,3}))")
_LARGEST = 2**63 - 1
_LONGEST = 64


def parse_quantity(text: str | float) -> int:
    """Reads a quantity, in its base unit (bytes, for memory).

    Raises:
        ValueError: the text is no quantity, or does not fit the API's 63 bits.
    """
    text = str(text).strip()
    match = _SHAPE.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError(f"{text[:_LONGEST]!r} is not a quantity such as 4Gi, 500M or 1e9")
    sign, whole, fraction, suffix, exponent = match.groups()
    times, over = _SCALE[suffix or ""]
    power = int(exponent or 0) - len(fraction or "")
    if power >= 0:
        times *= 10**power
    else:
        over *= 10**-power
    value = -(-int(whole + (fraction or "")) * times // over)
    if value > _LARGEST:
        raise ValueError(f"{text!r} is larger than a quantity may be")
    return -value if sign == "-" else value


def quantity_or_none(text: str | float | None) -> int | None:
    """The quantity, or None where it is absent, negative or not a quantity at all."""
    if text is None:
        return None
    try:
        value = parse_quantity(text)
    except ValueError:
        return None
    return value if value >= 0 else None
