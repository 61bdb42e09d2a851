"""What the lab has to show: claims that hold or fail by what was measured."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """Something that has to be so in every run it speaks of.

    `shown` are the figures that it rests on, `against` those that speak against it. A claim that nothing was measured
    for does not hold, unless `unmeasured` says why it, or a part of it, cannot be measured on this machine.
    """

    text: str
    shown: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    unmeasured: str | None = None

    @property
    def holds(self) -> bool:
        """Whether something was measured, and nothing speaks against it; or it cannot be measured here."""
        return not self.against and (bool(self.shown) or self.unmeasured is not None)


def lines(claims: tuple[Claim, ...]) -> list[str]:
    """Returns what to print of the claims: a line for each, and below it what speaks against it."""
    said = []
    for claim in claims:
        word = "FAILS" if claim.against else "holds" if claim.shown else "not measured" if claim.unmeasured else "FAILS"
        gap = (
            ""
            if claim.unmeasured is None
            else f" ({'in part not measured: ' if claim.shown else ''}{claim.unmeasured})"
        )
        said.append(f"  {word:<12}  {claim.text}{gap}")
        said += [f"                - {each}" for each in claim.against]
        if word == "FAILS" and not claim.against:
            said.append("                - nothing was measured")
    return said
