"""A certificate authority for tests: server certificates by name or address, client certificates by user and group."""

import datetime as dt
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LIFETIME = dt.timedelta(days=1)
_CLOCK_SKEW = dt.timedelta(minutes=5)

_CA = x509.BasicConstraints(ca=True, path_length=0)
_CA_KEY_USAGE = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)
_CRITICAL = (x509.BasicConstraints, x509.KeyUsage)


def private_key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return a private key as an unencrypted PEM block."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def public_key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return the public half of a key as a PEM block."""
    return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def new_key() -> ec.EllipticCurvePrivateKey:
    """Return a fresh P-256 key."""
    return ec.generate_private_key(ec.SECP256R1())


@dataclass(frozen=True)
class Credentials:
    """A certificate and its private key, both as PEM."""

    certificate: bytes
    key: bytes

    def write(self, folder: Path, name: str) -> tuple[Path, Path]:
        """Write `NAME.crt` and `NAME.key`, the key readable by the owner only, and return their paths."""
        certificate, key = folder / f"{name}.crt", folder / f"{name}.key"
        certificate.write_bytes(self.certificate)
        key.touch(mode=0o600)
        key.write_bytes(self.key)
        return certificate, key


class CertificateAuthority:
    """Signs certificates that are good for a day. Its own certificate is `pem`."""

    def __init__(self, common_name: str) -> None:
        self._key = new_key()
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        self.pem = self._sign(self._name, self._key, _CA, _CA_KEY_USAGE)

    def issue_server(self, *names: str) -> Credentials:
        """Return credentials of a server that is called by these DNS names and IP addresses."""
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        alternatives = x509.SubjectAlternativeName([_general_name(name) for name in names])
        return self._issue(subject, ExtendedKeyUsageOID.SERVER_AUTH, alternatives)

    def issue_client(self, user: str, groups: tuple[str, ...] = ()) -> Credentials:
        """Return credentials that Kubernetes reads as this user in these groups."""
        attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, user), *attributes])
        return self._issue(subject, ExtendedKeyUsageOID.CLIENT_AUTH)

    def _issue(self, subject: x509.Name, usage: x509.ObjectIdentifier, *extensions: x509.ExtensionType) -> Credentials:
        key = new_key()
        certificate = self._sign(subject, key, x509.ExtendedKeyUsage([usage]), *extensions)
        return Credentials(certificate, private_key_pem(key))

    def _sign(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *extensions: x509.ExtensionType) -> bytes:
        now = dt.datetime.now(dt.UTC)
        public_key = key.public_key()
        builder = (
            x509.CertificateBuilder(issuer_name=self._name, subject_name=subject, public_key=public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _CLOCK_SKEW)
            .not_valid_after(now + _LIFETIME)
            # Python verifies strictly from 3.13 on, and then asks for both key identifiers.
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        for extension in extensions:
            builder = builder.add_extension(extension, critical=isinstance(extension, _CRITICAL))
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
