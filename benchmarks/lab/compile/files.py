"""What lies in folders: before a run and after it, by kind, and damaged on purpose."""

import random
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

# The files of a folder, by path below it: size and time of the last change, which together betray a rewrite.
Snapshot = dict[str, tuple[int, int]]

_BYTES_PER_CHANGE = 50  # bytes of a garbled file for each that is changed


class Kind(StrEnum):
    """What Inductor keeps, told by the file's place and name."""

    GRAPH = "compiled graph"
    AUTOGRAD = "autograd entry"
    WRAPPER = "generated Python"
    SOURCE = "generated C++"
    LIBRARY = "compiled library"
    PROBE = "trial of an instruction"
    LOCK = "lock"
    OTHER = "other"


class Damage(StrEnum):
    """What becomes of a file."""

    HALF = "cut in half"
    EMPTY = "empty"
    GARBLED = "garbled"


_SUFFIXES = {".py": Kind.WRAPPER, ".cpp": Kind.SOURCE, ".so": Kind.LIBRARY, ".lock": Kind.LOCK}


def snapshot(folder: Path) -> Snapshot:
    """Returns the files below a folder; no links are followed, and none of them may be missing afterwards."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            state = path.lstat()
            found[str(path.relative_to(folder))] = (state.st_size, state.st_mtime_ns)
    return found


def changed(before: Snapshot, after: Snapshot) -> list[str]:
    """Returns what is new, gone or rewritten."""
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def kind_of(name: str) -> Kind:
    """Returns the kind of a cache's file, by its path below the cache's mount."""
    path = Path(name)
    if "fxgraph" in path.parts:
        return Kind.GRAPH
    if "aotautograd" in path.parts:
        return Kind.AUTOGRAD
    if path.suffix == ".so" and not path.name.endswith(".main.so"):
        return Kind.PROBE
    return _SUFFIXES.get(path.suffix, Kind.OTHER)


def damage(folder: Path, kinds: Iterable[Kind], how: Damage, seed: int) -> int:
    """Damages all files of these kinds below a folder, and returns how many there were."""
    chance, wanted = random.Random(seed), set(kinds)  # noqa: S311 (repeatable, not secret)
    names = [name for name in snapshot(folder) if kind_of(name) in wanted]
    for name in names:
        path = folder / name
        path.write_bytes(damaged(path.read_bytes(), how, chance))
    return len(names)


def damaged(content: bytes, how: Damage, chance: random.Random) -> bytes:
    """Returns what a file holds after it was damaged."""
    if how is Damage.HALF:
        return content[: len(content) // 2]
    if how is Damage.EMPTY:
        return b""
    garbled = bytearray(content)
    for _ in range(len(garbled) // _BYTES_PER_CHANGE + 1 if garbled else 0):
        place = chance.randrange(len(garbled))
        garbled[place] = garbled[place] ^ chance.randrange(1, 256)
    return bytes(garbled)
