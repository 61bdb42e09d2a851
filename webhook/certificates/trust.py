"""Who trusts which certificate: what an API server would find, told by the same checks beforehand."""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from webhook.certificates.issuing import Leaf, general_name

Authorities = tuple[x509.Certificate, ...]

# The same few are asked about every few seconds, on the event loop that answers reviews.
_remembered = lru_cache(maxsize=16)
_BLOCK = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


@_remembered
def parse(bundle: bytes) -> Authorities:
    """Returns the certificates of a bundle, each once, in their order; what cannot be read is passed over."""
    found: dict[x509.Certificate, None] = {}
    for block in _BLOCK.findall(bundle):
        try:
            certificate = x509.load_pem_x509_certificate(block)
            _ = certificate.subject, certificate.not_valid_after_utc, certificate.extensions  # else read only later
        except ValueError:
            continue
        found[certificate] = None
    return tuple(found)


def render(authorities: Iterable[x509.Certificate]) -> bytes:
    """Returns the bundle of these authorities, PEM."""
    return b"".join(each.public_bytes(Encoding.PEM) for each in authorities)


@_remembered
def certificate_of(leaf: Leaf) -> x509.Certificate:
    """Returns the serving certificate itself, without its chain."""
    return x509.load_pem_x509_certificate(leaf.chain)


@_remembered
def readable(leaf: Leaf) -> bool:
    """Tells whether certificate and key can be read and belong together."""
    try:
        chain, key = x509.load_pem_x509_certificates(leaf.chain), load_pem_private_key(leaf.key, None)
        spelled = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return chain[0].public_key().public_bytes(*spelled) == key.public_key().public_bytes(*spelled)
    except (ValueError, TypeError, x509.UnsupportedGeneralNameType):  # a TypeError: the key is encrypted
        return False


def unexpired(authorities: Iterable[x509.Certificate], now: dt.datetime) -> Authorities:
    """Returns those of the authorities that are good yet."""
    return tuple(each for each in authorities if each.not_valid_after_utc > now)


@_remembered
def signers(leaf: Leaf, authorities: Authorities) -> Authorities:
    """Returns those of the authorities that the certificate is trusted by, whatever the time is now."""
    # The first moment that it claims: an authority of ours begins with it, another one did before.
    moment = certificate_of(leaf).not_valid_before_utc
    names = names_of(leaf)[:1]
    return tuple(each for each in authorities if names and trusted(leaf, (each,), names, moment))


def trusted(leaf: Leaf, authorities: Sequence[x509.Certificate], names: Iterable[str], now: dt.datetime) -> bool:
    """Tells whether a client that trusts the authorities takes the certificate for each of the names."""
    if not authorities:
        return False
    try:
        certificate, *chain = x509.load_pem_x509_certificates(leaf.chain)
        policy = PolicyBuilder().store(Store(list(authorities))).time(now)
        for name in names:
            policy.build_server_verifier(general_name(name)).verify(certificate, chain)
    except (VerificationError, ValueError):
        return False
    return True


def names_of(leaf: Leaf) -> tuple[str, ...]:
    """Returns the DNS names and IP addresses that the certificate is for."""
    try:
        names = certificate_of(leaf).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return ()
    addresses = [str(address) for address in names.get_values_for_type(x509.IPAddress)]
    return (*names.get_values_for_type(x509.DNSName), *addresses)
