"""Who is told what a script does, and in what words."""

from typing import Protocol

import msgspec

from webhook.pod.environment import Environment


class TooLongError(Exception):
    """A script has more steps, or a line more words, than any launch script."""


class Start(msgspec.Struct, frozen=True):
    """A program that a script starts: its words, environment, standard input, and how certain that is."""

    argv: tuple[str, ...]
    environment: Environment
    input: str | None
    certain: bool
    # The stretch that this was salvaged from is not good syntax.
    broken: bool


class Watcher(Protocol):
    """Who is told what a script does."""

    def started(self, start: Start) -> None:
        """A program is started."""

    def assigned(self, name: str) -> None:
        """The script gives a name a value of the user's."""

    def broken(self, text: str) -> None:
        """A stretch of the script is not good syntax."""

    def unread(self, text: str) -> None:
        """A text that the script runs is not known, or lies too deep."""

    def step(self) -> None:
        """One statement was walked; raises TooLongError when there were too many."""
