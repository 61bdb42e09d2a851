"""Where the figures of all benchmarks are kept for a program to read: build/bench.json."""

import json
from pathlib import Path
from typing import Any

_FILE = Path("build/bench.json")


def keep(benchmark: str, figures: dict[str, Any]) -> None:
    """Writes one benchmark's figures, and leaves the others' as they are."""
    _FILE.parent.mkdir(exist_ok=True)
    kept = json.loads(_FILE.read_text()) if _FILE.exists() else {}
    _FILE.write_text(json.dumps({**kept, benchmark: figures}, indent=2) + "\n")
