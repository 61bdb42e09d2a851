"""What was found in the releases of one project, and the claims that follow: each holds or fails."""

from dataclasses import dataclass

from benchmarks.contract.releases import Project


@dataclass(frozen=True)
class Claim:
    """Something that has to be so in the releases, and what speaks against it."""

    text: str
    against: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.against


@dataclass(frozen=True)
class Row:
    """One line of a table: what was looked for, what fastload does with it, and what each release has of it."""

    what: str
    ours: str
    found: tuple[str | None, ...]


@dataclass(frozen=True)
class Table:
    """A table of findings; its columns are the releases, newest first."""

    title: str
    rows: tuple[Row, ...]
    about: str = ""


@dataclass(frozen=True)
class Part:
    """What one check found. A note claims nothing."""

    table: Table
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Findings:
    """All about one project."""

    project: Project
    versions: tuple[str, ...]
    parts: tuple[Part, ...]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim, in order."""
        return tuple(claim for part in self.parts for claim in part.claims)
