"""Whether the API server takes the certificate that fastload serves."""

import base64
import binascii
import datetime as dt
from collections.abc import Iterator

from cryptography import x509

from webhook.certificates.issuing import Leaf
from webhook.certificates.trust import Authorities, names_of, parse, trusted
from webhook.doctor.facts import Facts
from webhook.doctor.finding import Check, Finding, Level, Unread, named, unread
from webhook.doctor.keeping import look_at_the_keeper
from webhook.doctor.views import Webhook
from webhook.doctor.webhooks import ours

# A self-managed certificate is renewed with 30 days left, and by cert-manager's default too.
SOON_DAYS = 20
_UNTIL_HEARD = "until every API server has heard of the next one's authority, five minutes by default"


def check_certificate(facts: Facts) -> Iterator[Finding]:
    """Checks the certificate in the Secret against what every webhook is told to trust."""
    if isinstance(facts.certificate, Unread):
        yield unread(Check.CERTIFICATE, facts.certificate)
        return
    ends, following = _end(facts.certificate), facts.next_certificate
    next_ends = _end(following)
    if facts.certificate is not None and ends is not None:
        yield from _dates(facts, ends)
        yield from _trust(facts, Leaf(facts.certificate, b""), ends)
        if next_ends:
            yield Finding(Check.CERTIFICATE, Level.OK, f"renewal under way: pods serve this one {_UNTIL_HEARD}")
    elif following is not None and next_ends is not None:
        yield _replacement(facts, Leaf(following, b""), next_ends)
    else:
        text = "what the Secret has as tls.crt is no certificate"
        if not facts.certificate:
            text = "the Secret of the serving certificate does not exist or has no tls.crt"
        yield Finding(Check.CERTIFICATE, Level.PROBLEM, text, _renewal(facts))


def _end(certificate: bytes | None) -> dt.datetime | None:
    """Returns when a certificate ends; None where there is none that can be read."""
    try:
        return x509.load_pem_x509_certificate(certificate).not_valid_after_utc if certificate else None
    except ValueError:
        return None


def _replacement(facts: Facts, following: Leaf, ends: dt.datetime) -> Finding:
    """Tells of a Secret that was deleted and made anew: what is served is in the memory of the pods alone."""
    refused = _refusing(facts, following, ends)
    if refused:
        text = f"renewal under way, and the caBundle of {named(sorted(refused))} does not have the next authority yet"
        return Finding(Check.CERTIFICATE, Level.WARNING, text, f"look again in a minute; {_renewal(facts)}")
    text = (
        f"renewal under way: pods serve the previous certificate {_UNTIL_HEARD}; the next one ends on {ends:%Y-%m-%d}"
    )
    return Finding(Check.CERTIFICATE, Level.OK, text)


def _dates(facts: Facts, ends: dt.datetime) -> Iterator[Finding]:
    left = ends - facts.now
    if left <= dt.timedelta(0):
        text = f"the certificate ended on {ends:%Y-%m-%d %H:%M} UTC: the API server does not take it"
        yield Finding(Check.CERTIFICATE, Level.PROBLEM, text, _renewal(facts))
    elif left.days < SOON_DAYS:
        text = f"the certificate ends in {left.days} days, on {ends:%Y-%m-%d}"
        yield Finding(Check.CERTIFICATE, Level.WARNING, text, _renewal(facts))
    else:
        yield Finding(Check.CERTIFICATE, Level.OK, f"good for {left.days} days yet, until {ends:%Y-%m-%d}")


def _trust(facts: Facts, leaf: Leaf, ends: dt.datetime) -> Iterator[Finding]:
    refused = _refusing(facts, leaf, ends)
    if not refused:
        return
    name, names = _called(facts), names_of(leaf)
    if name not in names and not any(trusted(leaf, each, names[:1], _moment(facts, ends)) for each in refused.values()):
        names = ()
    if names and name not in names:
        text = f"the certificate is for {named(list(names))}, and the API server calls {name}"
    else:
        text = f"the caBundle of {named(sorted(refused))} does not have the authority that signed the certificate"
    yield Finding(Check.CERTIFICATE, Level.PROBLEM, f"{text}: pods are made untuned", _renewal(facts))


def _refusing(facts: Facts, leaf: Leaf, ends: dt.datetime) -> dict[str, Authorities]:
    """Returns the webhooks that are told of authorities, and of none by which they trust the certificate."""
    return {
        webhook.name: authorities
        for webhook in _webhooks(facts)
        if (authorities := _authorities(webhook)) is not None
        and not trusted(leaf, authorities, [_called(facts)], _moment(facts, ends))
    }


def _called(facts: Facts) -> str:
    return f"{facts.place.name}.{facts.place.namespace}.svc"


def _moment(facts: Facts, ends: dt.datetime) -> dt.datetime:
    """Returns when to judge: an expired certificate is told of once, and may be wrong in other ways besides."""
    return min(facts.now, ends - dt.timedelta(seconds=1))


def _webhooks(facts: Facts) -> Iterator[Webhook]:
    for configurations in (facts.mutating, facts.validating):
        if not isinstance(configurations, Unread):
            yield from ours(configurations)


def _authorities(webhook: Webhook) -> Authorities | None:
    """Returns what a webhook is told to trust; None where it is told nothing, which is another check's to tell."""
    if not webhook.client_config.ca_bundle:
        return None
    try:
        return parse(base64.b64decode(webhook.client_config.ca_bundle))
    except binascii.Error:
        return ()


def _renewal(facts: Facts) -> str:
    if facts.settings.self_managed:
        return look_at_the_keeper(facts)
    return "renew it where it comes from, and its authority in every caBundle; with cert-manager, see its Certificate"
