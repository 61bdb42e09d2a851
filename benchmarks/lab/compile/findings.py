"""What the lab's cases found: for each claim what speaks for it and what against, kept as plain data."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from benchmarks.lab.claims import Claim


class Shows(StrEnum):
    """The claims, by what each says."""

    NEXT = (
        "The next pod of a template compiles nothing: all graphs come from the cache, and no compiler is started but "
        "to be asked its version"
    )
    AGAIN = "Without fastload's settings, the next pod compiles again"
    PLACE = "All that a pod leaves lies in the folder that the plan names or in its own /tmp, and nothing in its home"
    KEYS = "Other arguments, another image and another user have folders of their own, and compile into them"
    TENANTS = "Pods of different namespaces share no file, and none opens what another wrote"
    NON_ROOT = "After the init step, an engine that is not root fills the cache, and its next pod compiles nothing"
    READ_ONLY = "An engine on a read-only root fills the cache, and its next pod compiles nothing"
    AT_ONCE = "Four first pods at once all start, and the pod after them compiles nothing"
    KILLED = "After a pod that was killed while it wrote what torch itself writes, the next pod starts"
    DAMAGED = "A damaged graph, autograd entry, source or lock costs no more than compiling again"


@dataclass
class Findings:
    """What one case found. `figures` are for the table, `limits` sentences on what did not go well and is no claim."""

    shown: list[tuple[str, str]] = field(default_factory=list)
    against: list[tuple[str, str]] = field(default_factory=list)
    unmeasured: list[tuple[str, str]] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    rows: list[tuple[str, str, str]] = field(default_factory=list)
    first_seconds: list[float] = field(default_factory=list)
    next_seconds: list[float] = field(default_factory=list)

    def check(self, claim: Shows, said: str, *, holds: bool) -> None:
        """Notes something that was seen."""
        (self.shown if holds else self.against).append((claim.name, said))

    def kept(self) -> dict[str, Any]:
        """Returns it as a record."""
        return dict(vars(self))


def claims(found: list[Findings]) -> tuple[Claim, ...]:
    """Returns the claims with what all cases found; one that no case speaks of is left out."""
    made = []
    for claim in Shows:
        shown, against, unmeasured = (
            tuple(said for each in found for name, said in getattr(each, kind) if name == claim.name)
            for kind in ("shown", "against", "unmeasured")
        )
        if shown or against or unmeasured:
            made.append(Claim(claim.value, shown, against, unmeasured[0] if unmeasured else None))
    return tuple(made)
