"""What the lab's store has, how it behaves, and what it logs: the words that it and whoever starts it share."""

import json
import struct
from fnmatch import fnmatchcase

import msgspec


class File(msgspec.Struct, frozen=True):
    """A safetensors file: its key, and the bytes of each of its tensors."""

    key: str
    tensors: tuple[int, ...]

    def header(self) -> bytes:
        """Returns what stands before the tensors: the length of a JSON text, and the text (safetensors format)."""
        offset, entries = 0, {}
        for number, size in enumerate(self.tensors):
            entries[f"{self.key}.{number}"] = {"dtype": "U8", "shape": [size], "data_offsets": [offset, offset + size]}
            offset += size
        text = json.dumps(entries).encode()
        return struct.pack("<Q", len(text)) + text


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How the store behaves; rates in bytes/s, shares from 0 to 1."""

    connection: float
    link: float | None = None
    first_byte_seconds: float = 0.0
    # The first GET of some ranges crawls; a GET of the same range afterwards does not.
    crawling: float = 0.0
    crawl_rate: float = 10_000.0
    crawl_seconds: float = 60.0
    # Some attempts are answered 503, whichever range they are for.
    refused: float = 0.0
    seed: int = 0


class Stock(msgspec.Struct, frozen=True):
    """What one trial's store has, and how it behaves."""

    files: tuple[File, ...]
    pace: Pace

    def sizes(self, pattern: str) -> list[int]:
        """Returns the bytes of tensors of each file whose name matches."""
        return [sum(file.tensors) for file in self.files if fnmatchcase(file.key.rpartition("/")[2], pattern)]


class Get(msgspec.Struct):
    """One GET of a range; times in seconds of one clock, `ended` None while it goes on."""

    key: str
    start: int
    length: int
    connection: int
    began: float
    ended: float | None = None
    outcome: str = "served"  # or refused, or aborted by the client
