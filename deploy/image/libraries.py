"""The shared libraries that the interpreter and the packages link."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from deploy.image.place import within

_RESOLVED = re.compile(r"(?:^|=> )(/\S+) \(0x")
_ELF = b"\x7fELF"
# The C library loads it by name when a thread ends early, so nothing says that it is needed.
_BY_NAME = "libgcc_s.so.1"


def copy(root: Path) -> frozenset[Path]:
    """Copies what the files in the root link, to where the dynamic linker finds it here.

    Returns:
        The libraries' paths.

    Raises:
        FileNotFoundError: a library is missing on this machine.
    """
    found = {library for file in _binaries(root) for library in _linked(file) if not library.is_relative_to(root)}
    libc = next(library for library in found if library.name.startswith("libc.so"))
    found.add(libc.with_name(_BY_NAME))
    for library in found:
        target = within(root, library)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)
    _index(root, {str(library.parent) for library in found})
    return frozenset(found)


def _index(root: Path, folders: Iterable[str]) -> None:
    """Writes the dynamic linker's index, so that it finds there what it found here, in whatever folder."""
    ldconfig = shutil.which("ldconfig") or "/sbin/ldconfig"
    # Without links that nothing asks for, and without a cache of its own.
    subprocess.run([ldconfig, "-X", "-i", "-r", str(root), *sorted(folders)], check=True)


def _binaries(root: Path) -> Iterator[Path]:
    for path in root.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(len(_ELF)) == _ELF:
                    yield path


def _linked(binary: Path) -> set[Path]:
    listed = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=True).stdout
    if missing := [line.split()[0] for line in listed.splitlines() if "not found" in line]:
        raise FileNotFoundError(f"{binary} needs {', '.join(missing)}, which this machine does not have")
    return {Path(match[1]) for line in listed.splitlines() if (match := _RESOLVED.search(line.strip()))}
