"""Whether the cluster is one that fastload works in."""

import re
from collections.abc import Iterator

from webhook.doctor.facts import Facts
from webhook.doctor.finding import Check, Finding, Level, Unread, unread

# Match conditions of webhooks are stable, and on, from here.
_OLDEST = (1, 30)


def check_kubernetes(facts: Facts) -> Iterator[Finding]:
    """Checks the API server's version."""
    version = facts.kubernetes
    if isinstance(version, Unread):
        yield unread(Check.KUBERNETES, version)
        return
    # EKS and others put a plus behind the minor version.
    found = re.fullmatch(r"v?(\d+)\.(\d+).*", version.git_version)
    if found is None:
        yield Finding(Check.KUBERNETES, Level.UNREAD, f"its version, {version.git_version!r}, is none that is known")
    elif (int(found[1]), int(found[2])) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        text = f"it is {version.git_version}, and fastload's webhooks take {oldest} or later"
        yield Finding(Check.KUBERNETES, Level.PROBLEM, text, "upgrade the cluster")
    else:
        yield Finding(Check.KUBERNETES, Level.OK, version.git_version)
