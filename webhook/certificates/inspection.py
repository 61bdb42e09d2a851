"""What there is to tell a person of certificates: for whom, by whom, for how long, and who trusts them."""

import datetime as dt
from collections.abc import Iterator

import msgspec
from cryptography import x509

from webhook.certificates.cluster import Look
from webhook.certificates.issuing import Leaf
from webhook.certificates.trust import Authorities, certificate_of, names_of, signers, trusted

_DAY = dt.timedelta(days=1)
RENEWAL = (
    "renewal under way: pods serve the previous certificate until every API server has heard of the next one's "
    "authority, which takes five minutes by default"
)


class Inspected(msgspec.Struct, frozen=True):
    """One thing that there is to say, and whether it is as it should be."""

    line: str
    good: bool = True


def inspect(look: Look) -> Iterator[Inspected]:
    """Tells of an installation: what its Secret holds, and what its webhooks trust."""
    kept = look.kept
    if kept.following is not None:
        yield Inspected(RENEWAL)
    elif kept.current is None:
        yield Inspected("serving: no certificate that can be used", good=False)
    for role, leaf in (("serving", kept.current), ("next", kept.following)):
        if leaf is not None:
            yield from inspect_leaf(role, leaf, look.now)
    # Where the Secret was deleted, what is served is in the pods' memory alone; the next one can be judged.
    judged = kept.current or kept.following
    for configuration in look.configurations:
        where = "/".join(configuration.path.rsplit("/", 2)[1:])
        for name, bundle in zip(configuration.names, configuration.bundles, strict=True):
            yield inspect_trust(f"{where} {name}", judged, bundle, look.now)
    if not look.configurations:
        yield Inspected("there is no webhook configuration of these names", good=False)


def inspect_leaf(role: str, leaf: Leaf, now: dt.datetime) -> Iterator[Inspected]:
    """Tells for whom a certificate is, by whom, and for how long."""
    certificate = certificate_of(leaf)
    yield Inspected(
        f"{role}: for {', '.join(names_of(leaf)) or 'no name'}, issued by {_common_name(certificate.issuer)}"
    )
    left = certificate.not_valid_after_utc - now
    good = certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc
    verb = "expires" if left > dt.timedelta() else "expired"
    yield Inspected(
        f"  {verb} {certificate.not_valid_after_utc:%Y-%m-%d %H:%M} UTC: {left // _DAY} days left", good=good
    )


def inspect_trust(who: str, leaf: Leaf | None, bundle: Authorities, now: dt.datetime) -> Inspected:
    """Tells whether somebody who trusts these authorities takes the certificate, and if not, why."""
    if leaf is not None and trusted(leaf, bundle, names_of(leaf), now):
        return Inspected(f"  trusted by {who}")
    return Inspected(f"  NOT trusted by {who}: {_mistrust(leaf, bundle)}", good=False)


def _mistrust(leaf: Leaf | None, bundle: Authorities) -> str:
    if not bundle:
        return "it is told no authority (caBundle is empty)"
    if leaf is not None and signers(leaf, bundle):
        return "its authority is known, but one of both has expired or is not valid yet"
    return "it trusts " + ", ".join(_common_name(each.subject) for each in bundle) + " instead"


def _common_name(name: x509.Name) -> str:
    found = name.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    return f'"{found[0].value!s}"' if found else name.rfc4514_string()
