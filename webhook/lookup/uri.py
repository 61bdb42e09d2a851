"""Where a model lies: object-store URIs and S3 endpoints, taken apart. Pure."""

import re
from functools import lru_cache
from urllib.parse import urlsplit

import msgspec

# A bucket by its name (an access point's alias is one, too), or an access point by its ARN (S3 user guide, 'Access
# point ARNs'): of S3 itself, of Outposts or of Object Lambda.
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{1,254}"
_ARN = (
    r"arn:[a-z-]+:s3(?:-object-lambda|-outposts)?:[a-z0-9-]*:[0-9]*:"
    r"(?:outpost[:/][A-Za-z0-9-]+[:/])?accesspoint[:/][A-Za-z0-9.-]+"
)
_LOCATION = re.compile(rf"s3://(?P<bucket>{_ARN}|{_NAME})(?:/(?P<key>.*))?", re.IGNORECASE | re.DOTALL)
# AWS's own S3 endpoints (AWS General Reference, 'Amazon S3 endpoints'; PrivateLink's interface endpoints).
_AWS_HOST = re.compile(
    r"(?:s3|s3-fips|s3-accelerate|(?:bucket|accesspoint)\.vpce-[0-9a-z-]+\.s3)"
    r"(?:\.dualstack)?(?:[.-][a-z]{2,3}(?:-[a-z]+)+-[0-9])?(?:\.vpce)?\.amazonaws\.(?:com(?:\.cn)?|eu)"
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
# What S3 takes at the most (S3 user guide, 'Naming objects', 'Bucket naming rules': no kind of name is longer).
KEY_BYTES = 1_024
_BUCKET_CHARACTERS = 255
# No endpoint is as long: a host has 253 characters at the most.
_URL_CHARACTERS = 2_048


class Location(msgspec.Struct, frozen=True):
    """A folder of a bucket: its prefix ends in exactly one slash, or is empty for the bucket's root."""

    bucket: str
    prefix: str

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}"


def locate(uri: str) -> Location:
    """Takes an s3:// URI apart.

    The prefix gets exactly one trailing slash, as the streamer gives it: without, a sibling that begins with the same
    letters would be listed as well.

    Raises:
        ValueError: it names no bucket or folder that could exist; the message says why.
    """
    found = _LOCATION.fullmatch(uri)
    if found is None or len(found["bucket"]) > _BUCKET_CHARACTERS:
        named = uri.partition("://")[2].partition("/")[0]
        raise ValueError("S3 allows no bucket of that name" if named else "it names no bucket")
    prefix = (found["key"] or "").rstrip("/")
    if len(prefix.encode(errors="replace")) >= KEY_BYTES:
        raise ValueError(f"S3 allows no key of more than {KEY_BYTES} bytes")
    return Location(found["bucket"], f"{prefix}/" if prefix else "")


def origin(url: str) -> str | None:
    """Returns scheme, host and port of an endpoint, normalised (lower case, no default port); None for any other text.

    A URL with a user, a query or a fragment is no endpoint, so a secret in one can't end up in a reason.
    """
    # Most texts that are asked of are no URL at all, which is told without reading them as one.
    return None if "//" not in url or len(url) > _URL_CHARACTERS else _origin(url)


@lru_cache(maxsize=256)
def _origin(url: str) -> str | None:
    try:
        parts = urlsplit(url.strip())
        scheme, host, port = parts.scheme.lower(), parts.hostname, parts.port
    except ValueError:
        return None
    if scheme not in _DEFAULT_PORTS or not host or "@" in parts.netloc or parts.query or parts.fragment:
        return None
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}" if port in (None, _DEFAULT_PORTS[scheme]) else f"{scheme}://{shown}:{port}"


def is_aws(endpoint: str) -> bool:
    """Tells whether an endpoint's URL is one of AWS's own for S3, over TLS."""
    scheme, _, host = (origin(endpoint) or "").partition("://")
    return scheme == "https" and _AWS_HOST.fullmatch(host) is not None
