"""The rotation, step by step: what is kept, what the webhooks were told, and what comes next."""

import datetime as dt

import pytest

from tests.certificates.make import LIFE, NAME, RULES, issued, kept, seen
from webhook.certificates.issuing import Issued
from webhook.certificates.kept import Kept
from webhook.certificates.outcomes import Step
from webhook.certificates.rotation import Rules, advance, bundle_for, choose
from webhook.certificates.trust import Authorities

OLD, CURRENT, NEXT, STRANGER = issued(-70), issued(0), issued(60), issued(0, dt.timedelta(days=3650))
MADE = issued(60)


def make() -> Issued:
    return MADE


def bundle(*those: Issued) -> Authorities:
    return tuple(each.authority for each in those)


def test_nothing_happens_while_more_than_a_third_of_the_life_is_left() -> None:
    everything = kept(CURRENT)
    assert advance(everything, seen(everything.authorities, days=59.9), RULES, make) is None


@pytest.mark.parametrize(
    ("before", "told", "days", "steady"),
    [
        pytest.param(kept(CURRENT), [CURRENT], 60, True, id="a third of its life is left"),
        pytest.param(kept(CURRENT), [CURRENT], 60, False, id="the same, and it does not wait for anything"),
        pytest.param(kept(CURRENT), [CURRENT], 91, True, id="it has expired"),
        pytest.param(kept(issued(100)), [CURRENT], 60, True, id="it is not valid yet: the clock was set back"),
        pytest.param(kept(issued(0, LIFE, "another.fastload.svc")), [CURRENT], 1, True, id="it is for another name"),
        pytest.param(kept(CURRENT, issued(-100)), [CURRENT], 61, True, id="the next one expired before its turn"),
        pytest.param(Kept(CURRENT.leaf, NEXT.leaf, (CURRENT.authority,)), [CURRENT], 61, True, id="next: no authority"),
    ],
)
def test_the_next_certificate_is_prepared_when(before: Kept, told: list[Issued], days: float, *, steady: bool) -> None:
    step = advance(before, seen(bundle(*told), days=days, steady=steady), RULES, make)
    assert step is not None
    assert step[0] is Step.PREPARED
    assert step[1].current == before.current
    assert step[1].following == MADE.leaf
    assert step[1].authorities[-1] == MADE.authority


def test_what_replicas_serve_stays_trusted_while_the_next_is_prepared() -> None:
    step = advance(
        kept(CURRENT, None, OLD), seen(bundle(OLD, CURRENT), days=19, steady=True), Rules((NAME,), 3 * LIFE), make
    )
    assert step == (Step.PREPARED, Kept(CURRENT.leaf, MADE.leaf, bundle(OLD, CURRENT, MADE)))


@pytest.mark.parametrize(
    ("told", "steady", "served"),
    [
        pytest.param([[CURRENT, NEXT], [CURRENT, NEXT]], True, True, id="all were told, and had time to hear"),
        pytest.param([[CURRENT, NEXT], [CURRENT, NEXT]], False, False, id="it was a moment ago"),
        pytest.param([[CURRENT, NEXT], [CURRENT]], True, False, id="one was not told"),
        pytest.param([[], []], True, False, id="all were wiped"),
    ],
)
def test_the_next_certificate_is_served_once_it_is_trusted(
    told: list[list[Issued]], *, steady: bool, served: bool
) -> None:
    step = advance(kept(CURRENT, NEXT), seen(*(bundle(*each) for each in told), days=61, steady=steady), RULES, make)
    assert step == ((Step.SERVED, Kept(NEXT.leaf, None, bundle(CURRENT, NEXT))) if served else None)


def test_a_first_certificate_waits_for_nobody_because_no_replica_serves_another() -> None:
    first = advance(Kept(), seen((), (), days=60, steady=False), RULES, make)
    assert first == (Step.PREPARED, Kept(None, MADE.leaf, bundle(MADE)))
    assert advance(first[1], seen(days=60, steady=False), RULES, make) == (
        Step.SERVED,
        Kept(MADE.leaf, None, bundle(MADE)),
    )
    assert advance(first[1], seen((), (), days=60, steady=False), RULES, make) is None
    second = advance(first[1], seen(bundle(MADE), (), days=60, steady=False), RULES, make)
    assert second == (Step.SERVED, Kept(MADE.leaf, None, bundle(MADE)))


def test_an_expired_certificate_is_replaced_as_soon_as_one_webhook_trusts_the_next() -> None:
    step = advance(kept(CURRENT, MADE), seen(bundle(MADE), days=95, steady=False), RULES, make)
    assert step == (Step.SERVED, Kept(MADE.leaf, None, bundle(CURRENT, MADE)))


def test_where_the_secret_is_gone_the_replicas_certificate_stays_trusted_and_the_new_one_waits() -> None:
    first = advance(Kept(), seen(bundle(CURRENT), days=10), RULES, make)
    assert first == (Step.PREPARED, Kept(None, MADE.leaf, bundle(CURRENT, MADE)))
    told = bundle(CURRENT, MADE)
    assert advance(first[1], seen(told, days=60, steady=False), RULES, make) is None
    assert advance(first[1], seen(told, days=60), RULES, make) == (Step.SERVED, Kept(MADE.leaf, None, told))


def test_an_installation_that_knows_no_authority_is_adopted_with_all_that_its_webhooks_trust() -> None:
    step = advance(Kept(CURRENT.leaf), seen(bundle(CURRENT, OLD), days=1), RULES, make)
    assert step == (Step.ADOPTED, Kept(CURRENT.leaf, None, bundle(CURRENT, OLD)))
    assert advance(step[1], seen(bundle(CURRENT, OLD), days=1), RULES, make) is None


@pytest.mark.parametrize(
    ("before", "days", "steady", "after"),
    [
        pytest.param(kept(NEXT, None, CURRENT), 89, True, None, id="it has not expired: a replica may be served by it"),
        pytest.param(kept(NEXT, None, CURRENT), 91, True, kept(NEXT), id="it has expired"),
        pytest.param(kept(NEXT, None, CURRENT), 91, False, None, id="it has, and replicas have yet to change"),
        pytest.param(
            kept(CURRENT, None, STRANGER), 5, True, kept(CURRENT), id="a stranger's, that would stay for years"
        ),
        pytest.param(kept(CURRENT, None, STRANGER), 5, False, None, id="a stranger's, and replicas have yet to change"),
    ],
)
def test_an_authority_leaves_when(before: Kept, days: float, after: Kept | None, *, steady: bool) -> None:
    step = advance(before, seen(before.authorities, days=days, steady=steady), RULES, make)
    assert step == (None if after is None else (Step.TIDIED, after))


@pytest.mark.parametrize(
    ("told", "steady", "wanted"),
    [
        pytest.param([], False, [CURRENT, NEXT], id="wiped"),
        pytest.param([NEXT, CURRENT], True, [NEXT, CURRENT], id="in another order"),
        pytest.param([CURRENT], True, [CURRENT, NEXT], id="one is missing"),
        pytest.param([STRANGER, CURRENT], False, [CURRENT, NEXT, STRANGER], id="more than is kept: not taken away yet"),
        pytest.param([STRANGER, CURRENT, NEXT], True, [CURRENT, NEXT], id="more than is kept: taken away"),
        pytest.param([OLD, CURRENT], False, [CURRENT, NEXT], id="expired"),
    ],
)
def test_a_webhook_is_told(told: list[Issued], wanted: list[Issued], *, steady: bool) -> None:
    everything = kept(CURRENT, NEXT)
    look = seen(bundle(*told), days=61, steady=steady)
    assert bundle_for(bundle(*told), everything, look) == bundle(*wanted)


def test_a_webhook_is_told_nothing_while_nothing_is_kept() -> None:
    assert bundle_for(bundle(STRANGER), Kept(), seen(bundle(STRANGER), days=1)) == bundle(STRANGER)


@pytest.mark.parametrize(
    ("serving", "told", "steady", "chosen"),
    [
        pytest.param(None, [], False, NEXT, id="none so far"),
        pytest.param(CURRENT, [CURRENT, NEXT], True, NEXT, id="both are trusted"),
        pytest.param(CURRENT, [CURRENT, NEXT], False, CURRENT, id="the new one only since a moment ago"),
        pytest.param(CURRENT, [CURRENT], True, CURRENT, id="the new one is not trusted"),
        pytest.param(CURRENT, [], True, NEXT, id="neither is"),
        pytest.param(NEXT, [CURRENT], True, NEXT, id="it is the kept one already"),
    ],
)
def test_a_replica_serves(serving: Issued | None, told: list[Issued], chosen: Issued, *, steady: bool) -> None:
    look = seen(bundle(*told), days=61, steady=steady)
    assert choose(serving.leaf if serving else None, kept(NEXT, None, CURRENT), look, RULES) == chosen.leaf


def test_a_replica_goes_on_with_what_it_serves_where_the_secret_is_gone() -> None:
    assert choose(CURRENT.leaf, Kept(), seen(bundle(CURRENT), days=1), RULES) == CURRENT.leaf
    assert choose(None, Kept(), seen(days=1), RULES) is None
