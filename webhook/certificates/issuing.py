"""An authority of one day's use: it signs one serving certificate, and its key is forgotten.

Nobody can sign a second certificate with it, so nothing but the serving key itself has to be guarded; and to trust it
is to trust that one certificate. To renew is to issue both again.
"""

import datetime as dt
import ipaddress
from collections.abc import Sequence

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

# Clocks differ between the machine that issues and the API servers that verify, and are set back at times.
BACKDATED = dt.timedelta(hours=1)


class Leaf(msgspec.Struct, frozen=True):
    """A serving certificate, its chain behind it, and its private key; both PEM."""

    chain: bytes
    key: bytes

    def __repr__(self) -> str:
        """Shows no key, wherever it may be printed."""
        return f"Leaf({len(self.chain)} bytes)"


class Issued(msgspec.Struct, frozen=True):
    """A serving certificate and the authority that it is trusted by."""

    leaf: Leaf
    authority: x509.Certificate


def issue(names: Sequence[str], now: dt.datetime, life: dt.timedelta) -> Issued:
    """Issues an authority and a serving certificate for `names` (DNS names and IP addresses), good from `now` on.

    Raises:
        ValueError: no name, or a name that is neither a DNS name nor an address.
    """
    if not names:
        raise ValueError("a certificate needs at least one name")
    authority_key, leaf_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    # Authorities of one name would be mistaken for each other by clients that look them up by it.
    subject = _name(f"fastload authority {x509.random_serial_number() % 2**32:08x}")
    valid = (now - BACKDATED, now + life)
    authority = (
        _builder(subject, subject, authority_key.public_key(), valid)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(authority=True), critical=True)
        .sign(authority_key, SHA256())
    )
    leaf = (
        _builder(_name("fastload"), subject, leaf_key.public_key(), valid)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(authority=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
        .add_extension(x509.SubjectAlternativeName([general_name(name) for name in names]), critical=False)
        .sign(authority_key, SHA256())
    )
    key = leaf_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return Issued(Leaf(leaf.public_bytes(Encoding.PEM), key), authority)


def general_name(name: str) -> x509.IPAddress | x509.DNSName:
    """Returns a DNS name or an IP address as certificates spell them.

    Raises:
        ValueError: it is neither.
    """
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, valid: tuple[dt.datetime, dt.datetime]
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(valid[0])
        .not_valid_after(valid[1])
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
