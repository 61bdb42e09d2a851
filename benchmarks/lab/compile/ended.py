"""How a pod's start went."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.lab.compile.trace import Touched

_LAST_WORDS = 400  # characters of what a failed start said


@dataclass(frozen=True)
class Ended:
    """How a pod's start went. `outside` are the files it left or lost outside the cache, by path in the pod."""

    code: int
    said: Mapping[str, Any]
    errors: str
    compilations: int
    outside: tuple[str, ...]
    touched: Touched | None

    @property
    def well(self) -> bool:
        """Whether it ended as it should, with the right output."""
        return self.code == 0 and bool(self.said.get("right"))

    @property
    def seconds(self) -> float:
        """Seconds of compiling, or of loading what was compiled; only where it went well."""
        return float(self.said["seconds"])

    def count(self, name: str) -> int:
        """Returns one of the worker's counters; only where it went well."""
        return int(self.said["counters"][name])

    @property
    def compiled_nothing(self) -> bool:
        """Whether all of its graphs came from the cache and no compiler was started but to be asked its version."""
        if not self.well:
            return False
        missed = sum(self.count(name) for name in ("graph_misses", "graph_bypasses", "autograd_misses"))
        return self.count("graph_hits") > 0 and missed == 0 and self.compilations == 0

    def brief(self) -> str:
        """Returns one line on how it went."""
        if self.code != 0:
            return f"ended with {self.code}: {self.errors}"
        hits = f"{self.count('graph_hits')} hit, {self.count('graph_misses')} missed"
        right = "right output" if self.said["right"] else "WRONG OUTPUT"
        return f"graphs {hits}, {self.compilations} compilations, {right}"


def reason(errors: str) -> str:
    """Returns the line of a program's errors that says most of its failure."""
    lines = [line for line in errors.splitlines() if line.strip() and "TORCH" not in line]
    return lines[-1].strip()[:_LAST_WORDS] if lines else "it said nothing"
