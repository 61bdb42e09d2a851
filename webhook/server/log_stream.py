"""Standard error as logs go there: whatever becomes of a line, whoever logs it goes on at once."""

import os
import stat


class LogStream:
    """A text stream over a file descriptor. A line that cannot be written now is lost, and counted.

    A pipe is written to without waiting, since a reader that stalls, as where the node's disk is full, would else hold
    up the event loop, and with it every review.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        # The last line was written in part, so the next one begins with a line's end.
        self._torn = False
        self.lost = 0
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            os.set_blocking(descriptor, False)

    def write(self, text: str) -> int:
        """Writes whole lines, or loses them."""
        self.write_lines(text.encode(errors="backslashreplace"))
        return len(text)

    def write_lines(self, lines: bytes) -> None:
        """Writes whole lines, or loses those that are not taken whole."""
        if self._torn:
            lines = b"\n" + lines
        try:
            written = os.write(self._descriptor, lines)
        except OSError:
            self.lost += lines.count(b"\n") - self._torn
        else:
            self.lost += lines.count(b"\n", written)
            self._torn = written < len(lines) and lines[written - 1 : written] != b"\n"

    def flush(self) -> None:
        """Does nothing: nothing is held back."""
