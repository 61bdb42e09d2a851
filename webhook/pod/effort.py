"""How much work one pod is worth.

A script of a few hundred characters can double itself, or call its functions, for longer than a review may take; and
the grammar takes long over bad syntax. So all work on one pod's scripts is counted, in units of about five millionths
of a second at the worst, and given up where a launch script would long be read.
"""

_MOST = 1 << 15
_STATEMENT = 8
# Characters, or variables, that cost one unit to handle.
_SIZE = 128


class TooLongError(Exception):
    """A script is longer, has more steps, or a line more words, than any launch script."""


class Effort:
    """Counts the work on the scripts of one pod."""

    def __init__(self) -> None:
        self._left = _MOST

    def read(self, length: int) -> None:
        """A script of so many characters is about to be parsed.

        Raises:
            TooLongError: the work has become too much; so do the other methods.
        """
        self._spend(length // _SIZE)

    def parsed(self, cost: int) -> None:
        """A script was parsed, or what of it could be."""
        self._spend(cost)

    def walk(self, variables: int) -> None:
        """A statement is walked, in a shell of so many variables."""
        self._spend(_STATEMENT + variables // _SIZE)

    def expand(self, length: int) -> None:
        """Words of so many characters have been made."""
        self._spend(length // _SIZE)

    def _spend(self, cost: int) -> None:
        self._left -= cost
        if self._left < 0:
            raise TooLongError
