"""Variables that look like settings and are none, so that a slip of the pen does not pass unseen."""

import re
from collections.abc import Mapping
from difflib import get_close_matches

from webhook.server.declared import PREFIX, declared

# What the kubelet sets in a pod beside a Service whose name begins with `fastload` (Kubernetes' documentation of
# Services, "Environment variables"); a bare ..._PORT is told by its value.
_SERVICE_LINK = re.compile(r".*_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$")
_LINKED_ADDRESS = re.compile(r"(tcp|udp|sctp)://")


def ignored(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns a sentence for each variable with our prefix that no setting has, with the setting that is closest."""
    known = [setting.variable for setting in declared()]
    unknown = sorted(name for name in environ if name.startswith(PREFIX) and name not in known)
    return tuple(_sentence(name, known) for name in unknown if not _is_service_link(name, environ[name]))


def _is_service_link(name: str, value: str) -> bool:
    return bool(_SERVICE_LINK.fullmatch(name)) or (name.endswith("_PORT") and bool(_LINKED_ADDRESS.match(value)))


def _sentence(name: str, known: list[str]) -> str:
    closest = get_close_matches(name, known, n=1, cutoff=0.0)
    return f"{name} is ignored: there is no such setting; the closest is {closest[0]}"
