"""Where the labs' findings stand in docs/tuning.md: each between two marks, and the chart in a file of its own."""

import re
from pathlib import Path

_DOCS = Path(__file__).parents[2] / "docs"


def write_part(name: str, text: str, page: Path = _DOCS / "tuning.md") -> None:
    """Writes what stands between `<!-- NAME -->` and `<!-- end of NAME -->`.

    Raises:
        ValueError: the page has no such marks.
    """
    before = page.read_text()
    marks = (f"<!-- {name} -->", f"<!-- end of {name} -->")
    part = re.compile(f"{re.escape(marks[0])}.*{re.escape(marks[1])}", re.DOTALL)
    after, found = part.subn(lambda _: f"{marks[0]}\n\n{text}\n\n{marks[1]}", before)
    if found != 1:
        raise ValueError(f"{page} has no part between {marks[0]} and {marks[1]}")
    page.write_text(after)


def write_chart(svg: str) -> None:
    """Writes the chart that the page shows."""
    (_DOCS / "lab.svg").write_text(svg)
