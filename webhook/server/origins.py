"""Which pages a browser may ask for previews from: fastload's own, opened under a name that nobody else can have.

A page of another site could have its own name lead to this machine (DNS rebinding), and would then be of one origin
with fastload. So the name that the browser knows must be one that the public DNS does not give out, or be listed.
"""

import ipaddress
from collections.abc import Sequence
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from starlette.datastructures import Headers

_OWN_SITES = {"same-origin", "none"}
# Reserved for one's own machine (RFC 6761) and, as Kubernetes' DNS has them, for services of the cluster.
_OWN_NAMES = ("*.localhost", "*.svc", "*.svc.cluster.local")


class ForeignPageError(Exception):
    """A page asks that is not fastload's own, or is not known to be; the message says what to do."""


def check_origin(headers: Headers, names: Sequence[str]) -> None:
    """Lets pass fastload's own page, and programs, which say nothing of where a request comes from.

    What a browser says of the site stands above the host: behind a proxy such as `kubectl proxy` that is another.

    Raises:
        ForeignPageError: another page asks, or the page was opened under a name that is neither reserved nor among
            `names`, shell-style patterns.
    """
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    authority, name = _place(origin or "")
    foreign = origin is not None and authority != headers.get("host", "").lower()
    if foreign if site is None else site.lower() not in _OWN_SITES:
        raise ForeignPageError("pages of other sites may not ask for previews")
    if origin is not None and not _is_own(name, names):
        raise ForeignPageError(
            f"the page was opened as {name[:100]!r}, a name that others may have too; open it by kubectl port-forward, "
            "or name it in FASTLOAD_PREVIEW_HOSTS"
        )


def _place(origin: str) -> tuple[str, str]:
    """Returns an origin's authority and the name in it, both empty where it has none."""
    try:
        parts = urlsplit(origin)
        return parts.netloc.lower(), parts.hostname or ""
    except ValueError:
        return "", ""


def _is_own(name: str, names: Sequence[str]) -> bool:
    """Tells whether a name is this machine's, an address, the cluster's, or listed; one without a dot is local."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        own = name and "." not in name
        return bool(own) or any(fnmatchcase(name, pattern.lower()) for pattern in (*_OWN_NAMES, *names))
    return True
