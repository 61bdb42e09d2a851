"""What strace wrote, read: the files that a pod opened and wrote, by path."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

CALLS: Final = "trace=open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat"

# `openat(AT_FDCWD, "/path", O_RDONLY|O_CLOEXEC) = 3`
_CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+)")
_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT")


@dataclass(frozen=True)
class Touched:
    """The absolute paths that calls succeeded on."""

    opened: frozenset[str]
    written: frozenset[str]


def touched(lines: Iterable[str]) -> Touched:
    """Reads the lines of `strace -ff`, which writes a file for each thread; a call that failed is passed over."""
    opened, written = set(), set()
    for line in lines:
        match = _CALL.match(line)
        if not match or match[3].startswith("-"):
            continue
        paths = [path for path in _PATH.findall(match[2]) if path.startswith("/")]
        opens = match[1].startswith(("open", "creat"))
        opened.update(paths)
        if not opens or match[1] == "creat" or _WRITES.search(match[2]):
            written.update(paths)
    return Touched(frozenset(opened), frozenset(written))
