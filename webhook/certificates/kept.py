"""What is kept of certificates, and the Secret that it is kept in.

| key of the Secret | what it holds |
|---|---|
| `tls.crt`, `tls.key` | the certificate that every replica serves; empty before the first |
| `next.crt`, `next.key` | the one that will be served once it is trusted |
| `ca.crt` | every authority that has to be trusted: the `caBundle` of the webhook configurations |
"""

import base64
import binascii
from collections.abc import Mapping

import msgspec

from webhook.certificates.issuing import Leaf
from webhook.certificates.trust import Authorities, parse, readable, render

CURRENT = ("tls.crt", "tls.key")
FOLLOWING = ("next.crt", "next.key")
AUTHORITIES = "ca.crt"


class Kept(msgspec.Struct, frozen=True):
    """The certificate that is served, the one to follow it, and the authorities that have to be trusted."""

    current: Leaf | None = None
    following: Leaf | None = None
    authorities: Authorities = ()


def decode(data: Mapping[str, str] | None) -> Kept:
    """Reads a Secret's data; a part that is missing, or garbage, is as if there were none."""
    content = {key: _bytes(value) for key, value in (data or {}).items()}
    return Kept(_leaf(content, CURRENT), _leaf(content, FOLLOWING), parse(content.get(AUTHORITIES, b"")))


def encode(kept: Kept) -> dict[str, str]:
    """Returns the Secret's data; its type kubernetes.io/tls wants the first two keys even where they are empty."""
    current = kept.current or Leaf(b"", b"")
    content = {CURRENT[0]: current.chain, CURRENT[1]: current.key, AUTHORITIES: render(kept.authorities)}
    if kept.following:
        content |= {FOLLOWING[0]: kept.following.chain, FOLLOWING[1]: kept.following.key}
    return {key: base64.b64encode(value).decode() for key, value in content.items()}


def _leaf(content: Mapping[str, bytes], keys: tuple[str, str]) -> Leaf | None:
    leaf = Leaf(*(content.get(key, b"") for key in keys))
    return leaf if readable(leaf) else None


def _bytes(value: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return b""
