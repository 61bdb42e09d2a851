"""TLS: what a handshake gets before and after the certificate is renewed, in memory."""

import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from webhook.server.certificates import Files, issue
from webhook.server.tls import Certificate, CertificateError, Handshake, Serving, load_pem


def shake_hands(server_side: ssl.SSLContext, authority: Path, *, name: str | None = "localhost") -> bytes:
    """Returns the certificate that a client got; raises what the client's verification raises."""
    client_context = ssl.create_default_context(cafile=str(authority))
    client_context.check_hostname = name is not None
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_context.wrap_bio(to_client, to_server, server_hostname=name)
    server = server_side.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(4):
        for side in (client, server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return client.getpeercert(binary_form=True) or b""


def unnoted(_stage: Handshake) -> None:
    """Notes nothing."""


def certificate(files: Files) -> Certificate:
    return Certificate(files.certificate, files.key)


def der(files: Files) -> bytes:
    return x509.load_pem_x509_certificate(files.certificate.read_bytes()).public_bytes(Encoding.DER)


@pytest.mark.parametrize("name", ["localhost", None], ids=["with a server name", "without one"])
def test_a_listener_serves_the_renewed_certificate_to_the_next_connection(tmp_path: Path, name: str | None) -> None:
    files = issue(["localhost"], tmp_path)
    served = certificate(files)
    listener = served.listener_context(unnoted)
    assert shake_hands(listener, files.authority, name=name) == der(files)
    files = issue(["localhost"], tmp_path)
    assert served.refresh()
    assert shake_hands(listener, files.authority, name=name) == der(files)


def test_unchanged_files_are_not_loaded_again(tmp_path: Path) -> None:
    served = certificate(issue(["localhost"], tmp_path))
    assert not served.refresh()


def test_a_mounted_secret_is_followed_through_its_symlink(tmp_path: Path) -> None:
    first, second = issue(["localhost"], tmp_path / "1"), issue(["localhost"], tmp_path / "2")
    (tmp_path / "..data").symlink_to(tmp_path / "1")
    served = certificate(Files.within(tmp_path / "..data"))
    listener = served.listener_context(unnoted)
    assert shake_hands(listener, first.authority) == der(first)
    (tmp_path / "next").symlink_to(tmp_path / "2")
    (tmp_path / "next").replace(tmp_path / "..data")
    assert served.refresh()
    assert shake_hands(listener, second.authority) == der(second)


def test_a_half_written_renewal_leaves_the_old_certificate_until_it_is_whole(tmp_path: Path) -> None:
    files, new = issue(["localhost"], tmp_path / "old"), issue(["localhost"], tmp_path / "new")
    before, authority = der(files), files.authority.read_bytes()
    (tmp_path / "ca.pem").write_bytes(authority)
    served = certificate(files)
    listener = served.listener_context(unnoted)
    files.certificate.write_bytes(new.certificate.read_bytes())
    with pytest.raises(CertificateError, match="key"):
        served.refresh()
    assert not served.refresh(), "a change that failed is not tried again until the files change again"
    assert shake_hands(listener, tmp_path / "ca.pem") == before
    files.key.write_bytes(new.key.read_bytes())
    assert served.refresh()
    assert shake_hands(listener, new.authority) == der(new)


def test_a_removed_file_leaves_the_old_certificate(tmp_path: Path) -> None:
    files = issue(["localhost"], tmp_path)
    served = certificate(files)
    listener = served.listener_context(unnoted)
    files.key.unlink()
    with pytest.raises(CertificateError):
        served.refresh()
    assert shake_hands(listener, files.authority) == der(files)


def test_its_expiry_is_the_leafs(tmp_path: Path) -> None:
    files = issue(["localhost"], tmp_path)
    leaf = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    assert certificate(files).expires == leaf.not_valid_after_utc.timestamp()


def test_nothing_older_than_tls_1_2_is_spoken(tmp_path: Path) -> None:
    context = certificate(issue(["localhost"], tmp_path)).listener_context(unnoted)
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize("missing", ["cert.pem", "key.pem"])
def test_files_that_cannot_be_used_are_named(tmp_path: Path, missing: str) -> None:
    files = issue(["localhost"], tmp_path)
    (tmp_path / missing).unlink()
    with pytest.raises(CertificateError, match=str(tmp_path / missing)):
        certificate(files)


def test_before_there_is_a_certificate_a_handshake_ends_at_once_and_the_next_one_gets_it(tmp_path: Path) -> None:
    files, noted = issue(["localhost"], tmp_path), list[Handshake]()
    served = Serving()
    listener = served.listener_context(noted.append)
    with pytest.raises(ssl.SSLError):
        shake_hands(listener, files.authority)
    assert served.expires is None
    served.replace(load_pem(files.certificate.read_bytes(), files.key.read_bytes()))
    assert shake_hands(listener, files.authority) == der(files)
    assert noted == [Handshake.BEGUN, Handshake.BEGUN]


@pytest.mark.parametrize("part", ["certificate", "key"])
def test_a_certificate_in_memory_that_cannot_be_used_is_an_error(tmp_path: Path, part: str) -> None:
    files = issue(["localhost"], tmp_path)
    content = {"certificate": files.certificate.read_bytes(), "key": files.key.read_bytes(), part: b"garbage"}
    with pytest.raises(CertificateError):
        load_pem(content["certificate"], content["key"])
