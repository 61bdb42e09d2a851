"""The Secret: what is read back from it, and what garbage in it amounts to."""

import base64

import pytest

from tests.certificates.make import issued, kept
from webhook.certificates.issuing import Issued
from webhook.certificates.kept import Kept, decode, encode
from webhook.certificates.trust import render

CURRENT, NEXT = issued(0), issued(60)


def b64(content: bytes) -> str:
    return base64.b64encode(content).decode()


@pytest.mark.parametrize("whole", [Kept(), kept(CURRENT), kept(None, NEXT), kept(CURRENT, NEXT)])
def test_what_is_kept_is_read_back(whole: Kept) -> None:
    assert decode(encode(whole)) == whole


def test_it_is_a_tls_secret_even_before_there_is_a_certificate() -> None:
    assert encode(kept(None, NEXT)).items() >= {"tls.crt": "", "tls.key": ""}.items()


@pytest.mark.parametrize(
    "spoilt",
    [
        pytest.param({"tls.crt": "%%%"}, id="no base64"),
        pytest.param({"tls.crt": b64(b"hello")}, id="no certificate"),
        pytest.param({"tls.crt": ""}, id="empty"),
        pytest.param({"tls.key": b64(NEXT.leaf.key)}, id="the key of another"),
        pytest.param({"tls.key": b64(b"\xff\x00")}, id="no key"),
        pytest.param({"tls.crt": b64(CURRENT.leaf.chain[:-40])}, id="cut off"),
    ],
)
def test_a_spoilt_certificate_is_none_and_spares_the_rest(spoilt: dict[str, str]) -> None:
    whole = kept(CURRENT, NEXT)
    assert decode({**encode(whole), **spoilt}) == Kept(None, NEXT.leaf, whole.authorities)


@pytest.mark.parametrize("data", [None, {}, {"password": b64(b"x")}])
def test_a_secret_of_something_else_keeps_nothing(data: dict[str, str] | None) -> None:
    assert decode(data) == Kept()


def test_authorities_that_cannot_be_read_are_passed_over() -> None:
    broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    bundle = b"words\n" + broken + render([CURRENT.authority, NEXT.authority, CURRENT.authority])
    assert decode({"ca.crt": b64(bundle)}).authorities == (CURRENT.authority, NEXT.authority)


@pytest.mark.parametrize("pair", [CURRENT, NEXT])
def test_a_key_is_never_shown(pair: Issued) -> None:
    assert b"PRIVATE" in pair.leaf.key
    assert "PRIVATE" not in repr(kept(pair))
