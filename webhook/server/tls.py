"""TLS for the reviews: TLS 1.2 and later, and a certificate that is renewed without dropping a connection.

A listener keeps one `ssl.SSLContext` for its life. Each handshake asks `Certificate` for the context of the day, so a
renewed certificate serves the next connection, whatever its key type, and open connections go on undisturbed.
"""

import asyncio
import ssl
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

import msgspec
from cryptography import x509

_Fingerprint = tuple[tuple[int, int, int], ...]


class Handshake(StrEnum):
    """How far a TLS handshake came: the label of its metric."""

    BEGUN = "begun"
    COMPLETED = "completed"


class CertificateError(Exception):
    """The certificate or its key cannot be used; the message names the files and what is wrong."""


class Certificate:
    """A serving certificate in two files, and what it takes to serve it and to follow its renewal."""

    def __init__(self, certificate: Path, key: Path) -> None:
        """Loads both files.

        Raises:
            CertificateError: a file is missing or unreadable, or they do not belong together.
        """
        self._files = (certificate, key)
        self._seen = _fingerprint(self._files)
        self._current = _load(self._files)

    @property
    def expires(self) -> float:
        """When the serving certificate expires, in seconds since the epoch."""
        return self._current.expires

    def listener_context(self, note: Callable[[Handshake], None]) -> ssl.SSLContext:
        """Returns the context for a listener: it hands each handshake to the certificate of the day, and notes it."""
        listener = _load(self._files).context

        def hand_over(connection: ssl.SSLObject, _name: str | None, _listener: ssl.SSLContext) -> None:
            note(Handshake.BEGUN)
            connection.context = self._current.context

        listener.sni_callback = hand_over  # called with no name too, where the client sends none
        return listener

    def refresh(self) -> bool:
        """Loads the files if they changed, and tells whether it did; the old certificate stays if that fails.

        Raises:
            CertificateError: the changed files cannot be used; asked again only once they change again.
        """
        fingerprint = _fingerprint(self._files)
        if fingerprint == self._seen:
            return False
        self._seen = fingerprint
        self._current = _load(self._files)
        return True


class Follower(msgspec.Struct, frozen=True):
    """Whom to tell of a renewal, and of one that failed."""

    renewed: Callable[[], None]
    failed: Callable[[CertificateError], None]


async def follow(certificate: Certificate, seconds: float, follower: Follower) -> None:
    """Looks for a renewed certificate every so many seconds, until cancelled."""
    while True:
        await asyncio.sleep(seconds)
        try:
            if certificate.refresh():
                follower.renewed()
        except CertificateError as error:
            follower.failed(error)


class _Loaded(msgspec.Struct, frozen=True):
    context: ssl.SSLContext
    expires: float


def _load(files: tuple[Path, Path]) -> _Loaded:
    certificate, key = files
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key)
        leaf = x509.load_pem_x509_certificate(certificate.read_bytes())
    except (OSError, ValueError) as error:
        # ssl.SSLError is an OSError; its text has no file name.
        raise CertificateError(f"cannot serve TLS with certificate {certificate} and key {key}: {error}") from error
    return _Loaded(context, leaf.not_valid_after_utc.timestamp())


def _fingerprint(files: tuple[Path, Path]) -> _Fingerprint:
    """What changes when a file is written or, as in a mounted Secret, its folder's symlink moves."""
    try:
        stats = [file.stat() for file in files]
    except OSError:
        return ()
    return tuple((stat.st_ino, stat.st_mtime_ns, stat.st_size) for stat in stats)
