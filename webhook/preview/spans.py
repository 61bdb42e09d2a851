"""Where the documents of a YAML stream stand in its text."""

import re
from bisect import bisect_right

# At the start of a line, these are markers whatever they stand in, by the YAML specification.
_MARKER = re.compile(r"(?:^|(?<=[\n\r\x85\u2028\u2029]))(?:---|\.\.\.)(?=\s|$)")


class Spans:
    """The documents' places, from each marker `---` to the next."""

    def __init__(self, text: str) -> None:
        self._end = len(text)
        markers = [(found.start(), found.end(), found[0]) for found in _MARKER.finditer(text)]
        self._starts = [start for start, _, _ in markers]
        self._contents = [start if marker == "---" else end for start, end, marker in markers]

    def around(self, index: int) -> tuple[int, int]:
        """Returns where the document begins and ends that has content at `index`, its `---` included."""
        after = bisect_right(self._starts, index)
        start = self._contents[after - 1] if after else 0
        return start, self._starts[after] if after < len(self._starts) else self._end
