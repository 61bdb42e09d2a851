"""The memory limit of a container that ranks run under: a real cgroup."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "fastload-lab-"
_numbers = count()


@contextmanager
def memory_limited(limit_bytes: int) -> Iterator[Path]:
    """Makes a cgroup with a memory limit, and yields the file that a process writes its id into to join it.

    Raises:
        OSError: this machine lets nobody make one, or not this user.
    """
    unified = (_ROOT / "cgroup.controllers").exists()
    parent = _ROOT if unified else _ROOT / "memory"
    _sweep(parent)
    folder = parent / f"{_PREFIX}{os.getpid()}-{next(_numbers)}"
    if unified:
        (parent / "cgroup.subtree_control").write_text("+memory")
    folder.mkdir()
    try:
        (folder / ("memory.max" if unified else "memory.limit_in_bytes")).write_text(str(limit_bytes))
        if unified:
            (folder / "memory.swap.max").write_text("0")
        yield folder / "cgroup.procs"
    finally:
        folder.rmdir()


def _sweep(parent: Path) -> None:
    """Removes what a lab that was killed left behind."""
    for folder in parent.glob(f"{_PREFIX}*"):
        if not Path("/proc", folder.name.removeprefix(_PREFIX).partition("-")[0]).exists():
            with suppress(OSError):
                folder.rmdir()


def why_no_memory_limit() -> str | None:
    """Returns why no cgroup with a memory limit can be made here; None where it can."""
    try:
        with memory_limited(1 << 30):
            return None
    except OSError as error:
        return f"no cgroup with a memory limit can be made here: {error}"
