"""The counts that are kept, by version of Python, and how they are written anew: `make work`.

A version's counts differ from another's by its bytecode. Whoever writes has one version; the others' counts are taken
along in proportion, which is near enough for what they are compared by.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.work.counting import Counts

# How much more work a review may be before it is told: more than a patch release of Python or of a library brings.
TOLERANCE = 0.05
_FILE = Path(__file__).with_name("work.json")
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def count_apart() -> Counts:
    """Counts in a process that has done nothing else: what others have loaded or remembered would count along."""
    command = [sys.executable, "-m", "tests.work.counting"]
    found = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    counts: Counts = json.loads(found.stdout)
    return counts


def read_kept() -> dict[str, Counts]:
    """Returns the counts that are kept, by version of Python."""
    kept: dict[str, Counts] = json.loads(_FILE.read_text())
    return kept


def grown(kept: Counts, counted: Counts) -> Iterator[str]:
    """Yields a sentence for each count that has grown by more than the tolerance, or is not kept."""
    for review, measures in counted.items():
        for measure, now in measures.items():
            before = kept.get(review, {}).get(measure)
            if before is None:
                yield f"{review}: {measure}: {now}, and none are kept"
            elif now > before * (1 + TOLERANCE):
                yield f"{review}: {measure}: {now}, kept are {before} ({now / before - 1:+.1%})"


def renewed(kept: dict[str, Counts], python: str, counted: Counts) -> dict[str, Counts]:
    """Returns what is to be kept: this version's counts as they are now, the others' grown in proportion."""
    before = kept.get(python, counted)
    others = {version: _scaled(counts, before, counted) for version, counts in kept.items() if version != python}
    return dict(sorted({**others, python: counted}.items()))


def _scaled(counts: Counts, before: Counts, now: Counts) -> Counts:
    """Returns another version's counts; what is counted for the first time it gets from this version."""
    return {
        review: {
            measure: round(value * counts[review][measure] / before[review][measure])
            if measure in counts.get(review, {}) and measure in before.get(review, {})
            else value
            for measure, value in measures.items()
        }
        for review, measures in now.items()
    }


if __name__ == "__main__":
    _FILE.write_text(json.dumps(renewed(read_kept() if _FILE.exists() else {}, PYTHON, count_apart()), indent=2) + "\n")
