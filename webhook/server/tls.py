"""TLS for the reviews: TLS 1.2 and later, and a certificate that is renewed without dropping a connection.

A listener keeps one `ssl.SSLContext` for its life. Each handshake asks `Certificate` for the context of the day, so a
renewed certificate serves the next connection, whatever its key type, and open connections go on undisturbed.
"""

import asyncio
import os
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


class Loaded(msgspec.Struct, frozen=True):
    """A certificate, ready to be served, and when it expires, in seconds since the epoch."""

    context: ssl.SSLContext
    expires: float


class Serving:
    """The certificate of the day, which each handshake asks for; at first there may be none."""

    def __init__(self, current: Loaded | None = None) -> None:
        self._current = current

    @property
    def expires(self) -> float | None:
        """When the serving certificate expires, in seconds since the epoch; None without one."""
        return self._current.expires if self._current else None

    def replace(self, current: Loaded) -> None:
        """Serves this one to the next connection."""
        self._current = current

    def listener_context(self, note: Callable[[Handshake], None]) -> ssl.SSLContext:
        """Returns the context for a listener: it hands each handshake to the certificate of the day, and notes it."""
        listener = _context()

        def hand_over(connection: ssl.SSLObject, _name: str | None, _listener: ssl.SSLContext) -> int | None:
            note(Handshake.BEGUN)
            if self._current is None:
                return ssl.ALERT_DESCRIPTION_INTERNAL_ERROR
            connection.context = self._current.context
            return None

        listener.sni_callback = hand_over  # called with no name too, where the client sends none
        return listener


class Certificate(Serving):
    """A serving certificate in two files, and what it takes to serve it and to follow its renewal."""

    def __init__(self, certificate: Path, key: Path) -> None:
        """Loads both files.

        Raises:
            CertificateError: a file is missing or unreadable, or they do not belong together.
        """
        self._files = (certificate, key)
        self._seen = _fingerprint(self._files)
        super().__init__(load_files(*self._files))

    def refresh(self) -> bool:
        """Loads the files if they changed, and tells whether it did; the old certificate stays if that fails.

        Raises:
            CertificateError: the changed files cannot be used; asked again only once they change again.
        """
        fingerprint = _fingerprint(self._files)
        if fingerprint == self._seen:
            return False
        self._seen = fingerprint
        self.replace(load_files(*self._files))
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


def load_files(certificate: Path, key: Path) -> Loaded:
    """Loads a certificate from two PEM files.

    Raises:
        CertificateError: a file is missing or unreadable, or they do not belong together.
    """
    context = _context()
    try:
        context.load_cert_chain(certificate, key)
        leaf = x509.load_pem_x509_certificate(certificate.read_bytes())
    except (OSError, ValueError) as error:
        # ssl.SSLError is an OSError; its text has no file name.
        raise CertificateError(f"cannot serve TLS with certificate {certificate} and key {key}: {error}") from error
    return Loaded(context, leaf.not_valid_after_utc.timestamp())


def load_pem(chain: bytes, key: bytes) -> Loaded:
    """Loads a certificate that is in memory, and leaves no file of it anywhere (on Linux alone).

    Raises:
        CertificateError: it cannot be read, or does not belong to the key.
    """
    with _in_memory(chain) as certificate_file, _in_memory(key) as key_file:
        return load_files(certificate_file, key_file)


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context


@contextmanager
def _in_memory(content: bytes) -> Iterator[Path]:
    """Gives content a path, as OpenSSL wants one: of a file that has no name and lies on no disk."""
    with os.fdopen(os.memfd_create("certificate"), "wb", buffering=0) as file:
        file.write(content)
        yield Path(f"/proc/self/fd/{file.fileno()}")


def _fingerprint(files: tuple[Path, Path]) -> _Fingerprint:
    """What changes when a file is written or, as in a mounted Secret, its folder's symlink moves."""
    try:
        stats = [file.stat() for file in files]
    except OSError:
        return ()
    return tuple((stat.st_ino, stat.st_mtime_ns, stat.st_size) for stat in stats)
