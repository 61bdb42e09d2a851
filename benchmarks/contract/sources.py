"""The sources of one release: which names stand where, and the syntax trees of single files."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

# A name in quotes, or declared as a field of a class (SGLang does so).
_NAMED = re.compile(
    rb"""["']([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)["']|^    ([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+) = """, re.MULTILINE
)
# Compilers keep a text that is built in place as blocks of this size, and its end within instructions.
_BLOCK = 16
_WORD = 8
_HALF = 4
_NOT_SHIPPED = ("tests/", "benchmarks/", "test/")


class Sources:
    """A release as it was unpacked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._trees: dict[Path, ast.Module] = {}

    @cached_property
    def names(self) -> dict[str, str]:
        """Every environment-like name that stands in quotes or is declared, and its first place: `file:line`."""
        found: dict[str, str] = {}
        for path in self.files("**/*.py"):
            content = path.read_bytes()
            for match in _NAMED.finditer(content):
                name = (match[1] or match[2]).decode()
                if name not in found:
                    found[name] = self.place(path, content.count(b"\n", 0, match.start()) + 1)
        return found

    def where(self, name: str) -> str | None:
        """Returns where a name stands: in Python, else in a library; None where it is in neither."""
        return self.names.get(name) or next(
            (self.place(path) for path, content in self._libraries.items() if holds(content, name)), None
        )

    def files(self, pattern: str) -> Iterator[Path]:
        """Returns the files of a pattern in order, without those of tests and benchmarks."""
        for path in sorted(self.folder.glob(pattern)):
            inner = f"{path.relative_to(self.folder)}".partition("/")[2]
            if not any(part in f"/{inner}" for part in (f"/{folder}" for folder in _NOT_SHIPPED)):
                yield path

    def tree(self, path: Path) -> ast.Module:
        """Returns the syntax tree of a file."""
        if path not in self._trees:
            self._trees[path] = ast.parse(path.read_bytes())
        return self._trees[path]

    def place(self, path: Path, line: int | None = None) -> str:
        """Writes a place as `file:line`, without the package's own folder where there is only one."""
        inner = path.relative_to(self.folder).as_posix()
        return inner if line is None else f"{inner}:{line}"

    def first(self, texts: Iterable[str], pattern: str = "**/*.py") -> dict[str, str]:
        """Returns the first place of each text that stands somewhere."""
        left = {text: text.encode() for text in texts}
        found: dict[str, str] = {}
        for path in self.files(pattern):
            content = path.read_bytes()
            for text, wanted in left.items():
                at = content.find(wanted) if text not in found else -1
                if at >= 0:
                    found[text] = self.place(path, content.count(b"\n", 0, at) + 1)
        return found

    @cached_property
    def _libraries(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in sorted(self.folder.glob("**/*.so"))}


def holds(library: bytes, name: str) -> bool:
    """Whether a library holds a name: whole, or in the blocks that a compiler makes of it.

    Newer streamers build their names in place. Then whole blocks of 16 bytes stand apart, and the rest is the operand
    of an instruction, of 8 bytes or 4, where it has so many.
    """
    text = name.encode()
    if text in library:
        # Also within a message, but not as the beginning of a longer name.
        return re.search(re.escape(text) + rb"(?![A-Z0-9_])", library) is not None
    cut = len(text) // _BLOCK * _BLOCK
    rest = text[cut:]
    operand = rest[:_WORD] if len(rest) >= _WORD else rest[:_HALF] if len(rest) >= _HALF else b""
    blocks = (text[at : at + _BLOCK] for at in range(0, cut, _BLOCK))
    # The first block is common to many names, so the second part has to tell them apart.
    return cut > 0 and len(text) > _BLOCK + _HALF and all(block in library for block in blocks) and operand in library
