"""What a doctor reports: the fields of `fastload doctor -o json`, in their order. Scripts read these names."""

from collections.abc import Sequence
from typing import Self

import msgspec

from webhook import __version__
from webhook.doctor.examine import examine, status_of
from webhook.doctor.facts import Facts
from webhook.doctor.finding import Finding


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found of one installation; `status` is the command's exit status."""

    version: str  # of this command
    context: str
    server: str
    namespace: str
    status: int
    findings: Sequence[Finding]

    @classmethod
    def of(cls, facts: Facts, *, context: str, server: str) -> Self:
        """Examines facts, and says of which cluster they are."""
        findings = examine(facts)
        return cls(
            version=__version__,
            context=context,
            server=server,
            namespace=facts.place.namespace,
            status=status_of(findings),
            findings=findings,
        )
