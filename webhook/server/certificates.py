"""Certificates in files: a development set, its check, for the tests, the demo and whoever keeps them by hand.

The authority's key is never written, so nobody can sign a second certificate with it; to renew is to issue both again.
"""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from webhook.certificates import issuing


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
    issued = issuing.issue(names, dt.datetime.now(dt.UTC), dt.timedelta(days=days))
    files = Files.within(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files.authority.write_bytes(issued.authority.public_bytes(Encoding.PEM))
    files.certificate.write_bytes(issued.leaf.chain)
    _write_private(files.key, issued.leaf.key)
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
            policy.build_server_verifier(issuing.general_name(name)).verify(leaf, chain)
        except VerificationError as error:
            raise ValueError(f"not valid for {name} in {days} days: {error}") from error


def _write_private(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(content)
