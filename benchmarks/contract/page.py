"""docs/contract.md: what was found, for people."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill

from benchmarks.contract.findings import Claim, Findings, Part

_HEAD = """# The contract with the engines

What fastload knows of vLLM, SGLang and the Run:ai Model Streamer, and where their released packages say so.
`make contract` gets the newest releases, reads them without running anything of theirs, and writes this page; it fails
where a claim does. A dash means that a release has no such thing, and a place without a line that a compiled library
has the name.

A name that is set *for a library* is read by torch, Triton, CUDA, FlashInfer, DeepGEMM, TileLang or CuTe themselves,
and the engine need not know it. The streamer's default concurrency and chunk size and the effect of its time-outs are
compiled in and cannot be read; they were measured ([tuning](tuning.md)).
"""
_WIDTH = 120


def page(findings: Sequence[Findings]) -> str:
    """Returns the page."""
    return "\n".join([_HEAD, *map(_section, findings)])


def claim_lines(claims: Iterable[Claim]) -> Iterator[str]:
    """Yields a line for each claim, and one for each thing against it."""
    for claim in claims:
        yield f"- {'holds' if claim.holds else '**fails**'}: {claim.text}"
        yield from (f"  - {each}" for each in claim.against)


def _section(findings: Findings) -> str:
    title = f"## {findings.project.label} {', '.join(findings.versions)}\n"
    claims = "".join(f"{line}\n" for line in claim_lines(findings.claims))
    return "\n".join([title, claims, *(_part(part, findings.versions) for part in findings.parts)])


def _part(part: Part, versions: Sequence[str]) -> str:
    about = [f"{part.table.about}\n"] if part.table.about else []
    rows = [["what", "fastload", *versions], ["---"] * (len(versions) + 2)]
    rows += [[f"`{row.what}`", row.ours, *(cell or "-" for cell in row.found)] for row in part.table.rows]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    table = "".join(f"| {' | '.join(row)} |\n" for row in escaped)
    notes = [f"{fill(note, _WIDTH, break_long_words=False, break_on_hyphens=False)}\n" for note in part.notes]
    return "\n".join([f"### {part.table.title}\n", *about, table, *notes])
