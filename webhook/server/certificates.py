"""A certificate authority of one day's use: it signs one serving certificate and is forgotten; and a check of both.

For development, the tests, the demo and a first installation. The authority's key is never written, so nobody can sign
a second certificate with it; to renew is to issue both again.
"""

import datetime as dt
import ipaddress
from collections.abc import Sequence
from pathlib import Path

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

# Clocks differ between the machine that issues and the API server that verifies.
_CLOCK_SKEW = dt.timedelta(minutes=5)


class Files(msgspec.Struct, frozen=True):
    """Where an issued set lies: the authority's certificate, the serving certificate and its key."""

    authority: Path
    certificate: Path
    key: Path

    @classmethod
    def within(cls, folder: Path) -> "Files":
        """Returns the paths under `folder`, whether or not they are there."""
        return cls(folder / "ca.pem", folder / "cert.pem", folder / "key.pem")


def issue(names: Sequence[str], folder: Path, days: int = 365) -> Files:
    """Issues an authority and a serving certificate for `names` (DNS names and IP addresses) into `folder`.

    Raises:
        ValueError: no name, or a name that is neither a DNS name nor an address.
        OSError: the folder cannot be written.
    """
    if not names:
        raise ValueError("a certificate needs at least one name")
    authority_key, leaf_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    subject = _name("fastload development authority")
    authority = (
        _builder(subject, subject, authority_key.public_key(), days)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(authority=True), critical=True)
        .sign(authority_key, SHA256())
    )
    leaf = (
        _builder(_name("fastload"), subject, leaf_key.public_key(), days)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(authority=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False)
        .sign(authority_key, SHA256())
    )
    files = Files.within(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files.authority.write_bytes(authority.public_bytes(Encoding.PEM))
    files.certificate.write_bytes(leaf.public_bytes(Encoding.PEM))
    _write_private(files.key, leaf_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return files


def check(files: Files, names: Sequence[str], days: int) -> None:
    """Checks that a client which trusts the authorities takes the certificate for `names`, for `days` days yet.

    Raises:
        ValueError: it does not, or a file holds no certificate; the message says why.
        OSError: a file cannot be read.
    """
    authorities = x509.load_pem_x509_certificates(files.authority.read_bytes())
    leaf, *chain = x509.load_pem_x509_certificates(files.certificate.read_bytes())
    policy = PolicyBuilder().store(Store(authorities)).time(dt.datetime.now(dt.UTC) + dt.timedelta(days=days))
    for name in names:
        try:
            policy.build_server_verifier(_general_name(name)).verify(leaf, chain)
        except VerificationError as error:
            raise ValueError(f"not valid for {name} in {days} days: {error}") from error


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: int
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + dt.timedelta(days=days))
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


def _general_name(name: str) -> x509.IPAddress | x509.DNSName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _write_private(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(content)
