"""Certificates at made-up times, for the tests of their rotation."""

import datetime as dt

from cryptography import x509

from webhook.certificates.issuing import Issued, issue
from webhook.certificates.kept import Kept
from webhook.certificates.rotation import Rules, Seen
from webhook.certificates.trust import Authorities

NAME = "fastload.fastload.svc"
START = dt.datetime(2030, 1, 1, tzinfo=dt.UTC)
LIFE = dt.timedelta(days=90)
RULES = Rules((NAME,), LIFE)


def at(days: float) -> dt.datetime:
    return START + dt.timedelta(days=days)


def issued(days: float = 0, life: dt.timedelta = LIFE, name: str = NAME) -> Issued:
    """A certificate that was issued on this day."""
    return issue([name], at(days), life)


def kept(current: Issued | None, following: Issued | None = None, *more: Issued) -> Kept:
    """A Secret with these certificates, whose authorities have to be trusted, the oldest first."""
    every = [each for each in (*more, current, following) if each]
    return Kept(
        current.leaf if current else None,
        following.leaf if following else None,
        tuple(each.authority for each in every),
    )


def seen(*bundles: Authorities, days: float, steady: bool = True) -> Seen:
    """A look at these webhooks; `steady` is whether they have been told so, and nothing has changed, for long."""
    told = [set(each) for each in bundles]
    heard = frozenset[x509.Certificate]().union(*told[:1]).intersection(*told) if steady else frozenset()
    return Seen(bundles, at(days), heard, steady)
