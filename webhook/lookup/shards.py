"""What a listing amounts to, added up file by file: a folder may hold more files than are to be kept. Pure.

Source of the rules: the streamer's own listing, as measured (docs/tuning.md): direct children of the prefix whose names
end in `.safetensors`, case-sensitive; the index file is never read.
"""

import re
from collections import Counter
from fnmatch import fnmatchcase
from functools import lru_cache

from webhook.lookup.facts import Shards, Unknown
from webhook.lookup.listing import Listing
from webhook.reasons import Code, because

_SHARD_PATTERN = "*.safetensors"
_CONSOLIDATED_PATTERN = "consolidated*.safetensors"


class ShardCount:
    """The shards of a listing, as far as they were met. It keeps sums, by rank in the sharded format, and no file."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing
        self._rank = None if listing.rank_pattern is None else _rank_expression(listing.rank_pattern)
        self._count = self._total_bytes = self._largest_bytes = 0
        self._consolidated_count = self._consolidated_bytes = 0
        self._rank_counts = Counter[str]()
        self._rank_bytes = Counter[str]()

    def add(self, name: str, size_bytes: int) -> None:
        """Counts a direct child of the prefix, if it is one that the streamer reads."""
        if self._rank is not None:
            if not (found := self._rank.fullmatch(name)):
                return
            self._rank_counts[found["rank"]] += 1
            self._rank_bytes[found["rank"]] += size_bytes
        elif not fnmatchcase(name, _SHARD_PATTERN):
            return
        elif fnmatchcase(name, _CONSOLIDATED_PATTERN):
            self._consolidated_count += 1
            self._consolidated_bytes += size_bytes
        self._count += 1
        self._total_bytes += size_bytes
        self._largest_bytes = max(self._largest_bytes, size_bytes)

    def result(self, region: str | None) -> Shards | Unknown:
        """Returns the sums, and the bucket's region with them.

        Consolidated files count as such only where they lie beside others. Of the sharded format a rank reads its own
        files, and others are not read.
        """
        if not self._count:
            pattern = self._listing.rank_pattern or _SHARD_PATTERN
            return Unknown(because(Code.NO_SAFETENSORS, pattern=pattern, uri=self._listing))
        return Shards(
            count=self._count,
            total_bytes=self._total_bytes,
            largest_bytes=self._largest_bytes,
            ranks=len(self._rank_counts) or None,
            rank_count=max(self._rank_counts.values(), default=None),
            rank_bytes=max(self._rank_bytes.values(), default=None),
            consolidated_bytes=self._consolidated_bytes if self._consolidated_count < self._count else 0,
            bucket_region=region,
        )


@lru_cache(maxsize=64)
def _rank_expression(pattern: str) -> re.Pattern[str]:
    """Turns a pattern with {rank} and {part} into an expression; one that does not name each once matches nothing.

    So a pod's pattern can't hold an expression that takes forever.
    """
    named = re.split(r"\{(rank|part)[^{}]*\}", pattern)
    if sorted(named[1::2]) != ["part", "rank"]:
        return re.compile(r"(?!)(?P<rank>)")
    expressions = {"rank": "(?P<rank>[0-9]+)", "part": ".*"}
    return re.compile(
        "".join(expressions[piece] if place % 2 else re.escape(piece) for place, piece in enumerate(named)), re.DOTALL
    )
