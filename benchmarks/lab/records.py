"""What a lab has measured so far, kept line by line, so that an interrupted run goes on where it stopped."""

import hashlib
import json
from pathlib import Path
from threading import Lock
from typing import Any

Record = dict[str, Any]


class Records:
    """The runs that are done, each under a key that says all that the run depends on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._done: dict[str, Record] = {}
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        whole = {line: kept for line in lines if (kept := _read(line)) is not None}
        if len(whole) != len(lines):
            path.write_bytes(b"".join(whole))
        self._done.update(whole.values())

    def get(self, key: str) -> Record | None:
        """Returns what the run under this key brought; None where it is still to be made."""
        return self._done.get(key)

    def add(self, key: str, about: str, record: Record) -> None:
        """Keeps what a run brought, on disk at once; `about` tells a reader which run it was."""
        self._done[key] = record
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock, self._path.open("a") as file:
            file.write(json.dumps({"key": key, "about": about, "record": record}) + "\n")


def _read(line: bytes) -> tuple[str, Record] | None:
    """Returns key and record of a line; None of one that a killed run was writing, or that a full disk cut short."""
    try:
        kept = json.loads(line)
        return (str(kept["key"]), dict(kept["record"])) if line.endswith(b"\n") else None
    except (ValueError, TypeError, KeyError):
        return None


def key_of(*parts: object) -> str:
    """Returns a short key over everything that a run depends on."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]
