import pytest

from benchmarks.lab.claims import Claim, lines

SAID = [
    (Claim("it is so", ("a figure",)), ["holds         it is so"]),
    (Claim("it is so", ("a figure",), unmeasured="why"), ["holds         it is so (in part not measured: why)"]),
    (Claim("it is so", unmeasured="why"), ["not measured  it is so (why)"]),
    (Claim("it is so", ("a figure",), ("another",)), ["FAILS         it is so", "- another"]),
    (Claim("it is so"), ["FAILS         it is so", "- nothing was measured"]),
]


@pytest.mark.parametrize(("claim", "said"), SAID, ids=["seen", "in part", "not here", "against", "nothing"])
def test_what_is_said_of_a_claim(claim: Claim, said: list[str]) -> None:
    assert [line.strip() for line in lines((claim,))] == said
    assert claim.holds is ("FAILS" not in said[0])
