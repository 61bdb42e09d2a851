"""Development certificates: what clients verify, and what is never kept."""

import datetime as dt
import stat
from pathlib import Path

import pytest
from cryptography import x509

from webhook.server.certificates import Files, check, issue


def test_the_leaf_carries_every_name_and_is_signed_by_the_authority(tmp_path: Path) -> None:
    files = issue(["fastload.fastload.svc", "127.0.0.1", "::1"], tmp_path)
    leaf = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    leaf.verify_directly_issued_by(x509.load_pem_x509_certificate(files.authority.read_bytes()))
    assert names.get_values_for_type(x509.DNSName) == ["fastload.fastload.svc"]
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]


def test_it_lasts_as_long_as_asked(tmp_path: Path) -> None:
    leaf = x509.load_pem_x509_certificate(issue(["localhost"], tmp_path, days=3).certificate.read_bytes())
    assert dt.timedelta(days=3) <= leaf.not_valid_after_utc - leaf.not_valid_before_utc < dt.timedelta(days=3, hours=2)


def test_the_key_is_the_owners_alone_and_the_authoritys_key_is_not_kept(tmp_path: Path) -> None:
    files = issue(["localhost"], tmp_path / "new")
    assert stat.S_IMODE(files.key.stat().st_mode) == 0o600
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["ca.pem", "cert.pem", "key.pem"]


def test_issuing_again_replaces_the_whole_set(tmp_path: Path) -> None:
    first = issue(["localhost"], tmp_path).key.read_bytes()
    files = issue(["localhost"], tmp_path)
    assert files.key.read_bytes() != first
    leaf = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    leaf.verify_directly_issued_by(x509.load_pem_x509_certificate(files.authority.read_bytes()))


def test_a_certificate_for_nobody_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one name"):
        issue([], tmp_path)


def test_a_set_is_good_for_its_names_and_its_days(tmp_path: Path) -> None:
    files = issue(["fastload.fastload.svc", "127.0.0.1"], tmp_path, days=31)
    check(files, ["fastload.fastload.svc", "127.0.0.1"], 30)
    with pytest.raises(ValueError, match=r"not valid for fastload\.fastload\.svc in 32 days"):
        check(files, ["fastload.fastload.svc"], 32)
    with pytest.raises(ValueError, match=r"not valid for other\.svc"):
        check(files, ["other.svc"], 0)


def test_a_set_is_good_as_long_as_one_of_the_authorities_vouches_for_it(tmp_path: Path) -> None:
    files, other = issue(["localhost"], tmp_path / "one"), issue(["localhost"], tmp_path / "other")
    mixed = Files(other.authority, files.certificate, files.key)
    with pytest.raises(ValueError, match="not valid for localhost"):
        check(mixed, ["localhost"], 0)
    other.authority.write_bytes(other.authority.read_bytes() + files.authority.read_bytes())
    check(mixed, ["localhost"], 0)


def test_an_empty_file_is_no_good_set(tmp_path: Path) -> None:
    files = issue(["localhost"], tmp_path)
    files.certificate.write_bytes(b"")
    with pytest.raises(ValueError, match="PEM"):
        check(files, ["localhost"], 0)
