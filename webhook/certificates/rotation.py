"""From one certificate to the next, one step at a time: pure, and right whoever stops where.

Each step looks at what is kept and at what the API servers were told, and changes one thing. A step left undone is
found again by the next look, so any replica may go on where another stopped.

1. Where a third of the certificate's life is left, the next one and its authority are made, and the authority joins
   those that have to be trusted.
2. The keeper tells every webhook configuration (`bundle_for`), and waits until every API server has heard.
3. The next certificate becomes the one that is served.
4. An authority leaves once it has expired: a replica that missed the change is trusted as long as its certificate is.
"""

import datetime as dt
from collections.abc import Callable

import msgspec
from cryptography import x509

from webhook.certificates.issuing import Issued, Leaf
from webhook.certificates.kept import Kept
from webhook.certificates.outcomes import Step
from webhook.certificates.trust import Authorities, certificate_of, signers, trusted, unexpired


class Rules(msgspec.Struct, frozen=True):
    """What certificates are for, and how long they live."""

    names: tuple[str, ...]
    life: dt.timedelta


class Seen(msgspec.Struct, frozen=True):
    """What the API servers were told, and when that is."""

    # One per webhook; what it is told to trust.
    bundles: tuple[Authorities, ...]
    # The API server's own clock: it is the one that finds a certificate expired.
    now: dt.datetime
    # The authorities that every webhook has been told of for long enough that every API server has heard.
    heard: frozenset[x509.Certificate]
    # Whether nothing has changed for long enough that every replica serves what is kept.
    quiet: bool


def advance(kept: Kept, seen: Seen, rules: Rules, make: Callable[[], Issued]) -> tuple[Step, Kept] | None:
    """Returns the next step and what to keep after it; None where all is as it should be, or has to wait."""
    if adopted := _adopted(kept, seen):
        return Step.ADOPTED, adopted
    if kept.following and _fit(kept.following, kept, seen, rules):
        return (Step.SERVED, _promoted(kept)) if _may_serve(kept.following, kept, seen) else None
    if kept.current is None or not _fit(kept.current, kept, seen, rules) or _due(kept.current, seen, rules):
        return Step.PREPARED, _prepared(kept, seen, make())
    if kept.following:
        return Step.TIDIED, msgspec.structs.replace(kept, following=None)
    left = _needed(kept.current, kept, seen) if seen.quiet else kept.authorities
    return (Step.TIDIED, msgspec.structs.replace(kept, authorities=left)) if left != kept.authorities else None


def bundle_for(bundle: Authorities, kept: Kept, seen: Seen) -> Authorities:
    """Returns what a webhook whose bundle this is has to be told to trust.

    What is not kept leaves only once everybody has had time to serve what is.
    """
    if not kept.authorities:
        return bundle
    foreign = () if seen.quiet else unexpired((each for each in bundle if each not in kept.authorities), seen.now)
    wanted = (*kept.authorities, *foreign)
    return bundle if set(bundle) == set(wanted) else wanted


def choose(serving: Leaf | None, kept: Kept, seen: Seen, rules: Rules) -> Leaf | None:
    """Returns which certificate a replica serves: the one that is kept, unless that would lose it an API server."""
    if kept.current is None or serving == kept.current:
        return serving
    if serving is None or not is_trusted(serving, seen, rules):
        return kept.current
    heard = not seen.heard.isdisjoint(signers(kept.current, kept.authorities))
    return kept.current if heard and is_trusted(kept.current, seen, rules) else serving


def is_trusted(leaf: Leaf, seen: Seen, rules: Rules) -> bool:
    """Tells whether every webhook that there is gets its reviews answered by this certificate."""
    return all(trusted(leaf, bundle, rules.names, seen.now) for bundle in set(seen.bundles))


def _adopted(kept: Kept, seen: Seen) -> Kept | None:
    """Takes over a certificate that was installed without its authority, which only the webhooks know."""
    if kept.current is None or signers(kept.current, kept.authorities):
        return None
    found = _found(seen)
    return _with(kept, found) if signers(kept.current, found) else None


def _fit(leaf: Leaf, kept: Kept, seen: Seen, rules: Rules) -> bool:
    return trusted(leaf, kept.authorities, rules.names, seen.now)


def _due(leaf: Leaf, seen: Seen, rules: Rules) -> bool:
    return certificate_of(leaf).not_valid_after_utc - seen.now <= rules.life / 3


def _prepared(kept: Kept, seen: Seen, issued: Issued) -> Kept:
    """Adds a next certificate. Where nobody knows who serves what by which authority, all that is trusted stays so."""
    known = kept.current is not None and signers(kept.current, kept.authorities)
    old = kept if known else _with(kept, _found(seen))
    needed = {*unexpired(old.authorities, seen.now), *(signers(kept.current, old.authorities) if kept.current else ())}
    authorities = (*(each for each in old.authorities if each in needed), issued.authority)
    return Kept(kept.current, issued.leaf, authorities)


def _promoted(kept: Kept) -> Kept:
    return Kept(kept.following, None, kept.authorities)


def _may_serve(leaf: Leaf, kept: Kept, seen: Seen) -> bool:
    signed_by = signers(leaf, kept.authorities)
    if not unexpired((each for each in kept.authorities if each not in signed_by), seen.now):
        # No replica has a certificate that anybody trusts, so there is none to lose.
        return not seen.bundles or any(each in bundle for bundle in seen.bundles for each in signed_by)
    return not seen.heard.isdisjoint(signed_by)


def _needed(current: Leaf, kept: Kept, seen: Seen) -> Authorities:
    """The authorities that stay: the current certificate's, and each that an earlier one may be served by yet.

    An earlier one of ours expires before the current one; what outlives that was left behind by somebody else.
    """
    signed_by, end = signers(current, kept.authorities), certificate_of(current).not_valid_after_utc
    return tuple(each for each in kept.authorities if each in signed_by or seen.now < each.not_valid_after_utc <= end)


def _found(seen: Seen) -> Authorities:
    return unexpired(dict.fromkeys(each for bundle in seen.bundles for each in bundle), seen.now)


def _with(kept: Kept, authorities: Authorities) -> Kept:
    return msgspec.structs.replace(kept, authorities=tuple(dict.fromkeys((*kept.authorities, *authorities))))
