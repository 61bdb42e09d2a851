"""What a person is told of an installation's certificate."""

import pytest

from tests.certificates.make import at, issued, kept
from webhook.certificates.cluster import Configuration, Look
from webhook.certificates.inspection import inspect
from webhook.certificates.issuing import Issued
from webhook.certificates.kept import Kept

CURRENT, NEXT = issued(0), issued(60)
PATH = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/fastload"


def told(what: Kept, *told: Issued, days: float = 1, configured: bool = True) -> dict[str, bool]:
    """Every line, and whether it says that all is well."""
    bundle = tuple(each.authority for each in told)
    configurations = (Configuration(PATH, "1", ("pods.fastload.dev",), (bundle,)),) if configured else ()
    return {each.line: each.good for each in inspect(Look(what, {}, configurations, at(days)))}


def test_all_is_well() -> None:
    lines = told(kept(CURRENT, NEXT), CURRENT, NEXT, days=61)
    assert all(lines.values())
    names = [line.split(" issued")[0] for line in lines if "issued by" in line]
    assert names == ["serving: for fastload.fastload.svc,", "next: for fastload.fastload.svc,"]
    assert "  expires 2030-04-01 00:00 UTC: 29 days left" in lines
    assert "  trusted by mutatingwebhookconfigurations/fastload pods.fastload.dev" in lines


@pytest.mark.parametrize(
    ("what", "trusting", "days", "wrong"),
    [
        pytest.param(kept(CURRENT), [], 1, "is told no authority", id="wiped"),
        pytest.param(kept(CURRENT), [NEXT], 1, 'it trusts "fastload authority', id="another authority"),
        pytest.param(kept(CURRENT), [CURRENT], 91, "expired 2030-04-01", id="expired"),
        pytest.param(kept(CURRENT), [CURRENT], 91, "one of both has expired", id="expired, and so not trusted"),
        pytest.param(kept(None), [NEXT], 61, "no certificate that can be used", id="emptied"),
        pytest.param(kept(None, NEXT), [CURRENT], 61, 'it trusts "fastload authority', id="next not told of yet"),
        pytest.param(kept(None, NEXT), [CURRENT, NEXT], 151, "expired 2030-05-31", id="never promoted"),
    ],
)
def test_what_is_wrong_is_told(what: Kept, trusting: list[Issued], days: float, wrong: str) -> None:
    lines = told(what, *trusting, days=days)
    assert any(wrong in line for line, good in lines.items() if not good)


@pytest.mark.parametrize("trusting", [[CURRENT, NEXT], [NEXT]], ids=["authority before known", "first certificate"])
def test_a_renewal_that_begins_with_an_empty_secret_is_no_alarm(trusting: list[Issued]) -> None:
    lines = told(kept(None, NEXT), *trusting, days=61)
    assert all(lines.values())
    assert [line for line in lines if "renewal under way: pods serve the previous certificate until" in line]
    assert "  trusted by mutatingwebhookconfigurations/fastload pods.fastload.dev" in lines
    assert not [line for line in lines if line.startswith("serving")]


def test_nobody_is_told_of_a_renewal_where_there_is_none() -> None:
    assert not [line for line in told(kept(CURRENT), CURRENT) if "renewal" in line]


def test_webhooks_that_are_not_there_are_wrong() -> None:
    assert not all(told(kept(CURRENT), configured=False).values())
