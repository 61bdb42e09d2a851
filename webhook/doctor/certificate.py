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
from webhook.doctor.views import Webhook
from webhook.doctor.webhooks import ours

# A self-managed certificate is renewed with 30 days left, and by cert-manager's default too.
SOON_DAYS = 20


def check_certificate(facts: Facts) -> Iterator[Finding]:
    """Checks the certificate in the Secret against what every webhook is told to trust."""
    if facts.certificate is None:
        text = (
            "the Secret of the serving certificate does not exist or has no tls.crt, so no pod of fastload's is ready"
        )
        yield Finding(Check.CERTIFICATE, Level.PROBLEM, text, _renewal(facts))
        return
    if isinstance(facts.certificate, Unread):
        yield unread(Check.CERTIFICATE, facts.certificate)
        return
    leaf = Leaf(facts.certificate, b"")
    try:
        ends = x509.load_pem_x509_certificate(leaf.chain).not_valid_after_utc
    except ValueError:
        text = "what the Secret has as tls.crt is no certificate"
        yield Finding(Check.CERTIFICATE, Level.PROBLEM, text, _renewal(facts))
        return
    yield from _dates(facts, ends)
    yield from _trust(facts, leaf, ends)


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
    name = f"{facts.place.name}.{facts.place.namespace}.svc"
    # An expired one is told of once, and may be wrong in other ways besides.
    moment = min(facts.now, ends - dt.timedelta(seconds=1))
    refused = {
        webhook.name: authorities
        for webhook in _webhooks(facts)
        if (authorities := _authorities(webhook)) is not None and not trusted(leaf, authorities, [name], moment)
    }
    if not refused:
        return
    names = names_of(leaf)
    if name not in names and not any(trusted(leaf, each, names[:1], moment) for each in refused.values()):
        names = ()
    if names and name not in names:
        text = f"the certificate is for {named(list(names))}, and the API server calls {name}"
    else:
        text = f"the caBundle of {named(sorted(refused))} does not have the authority that signed the certificate"
    yield Finding(Check.CERTIFICATE, Level.PROBLEM, f"{text}: pods are made untuned", _renewal(facts))


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
        return "fastload keeps it by itself: its log says what stands in the way"
    return "renew it where it comes from, and its authority in every caBundle; with cert-manager, see its Certificate"
