"""Who is told what a script does, and in what words."""

from typing import Protocol

import msgspec

from webhook.pod.effort import Effort
from webhook.pod.environment import Environment


class Start(msgspec.Struct, frozen=True):
    """A program that a script starts: its words, environment, standard input, and how certain that is."""

    argv: tuple[str, ...]
    environment: Environment
    input: str | None
    certain: bool
    # The stretch that this was salvaged from is not good syntax.
    broken: bool


class Watcher(Protocol):
    """Who is told what a script does, and counts what following it costs."""

    effort: Effort

    def started(self, start: Start) -> None:
        """A program is started."""

    def assigned(self, name: str) -> None:
        """The script gives a name a value of the user's."""

    def broken(self, text: str) -> None:
        """A stretch of the script is not good syntax."""

    def unread(self, text: str) -> None:
        """A text that the script runs is not known, or lies too deep."""


class Deaf:
    """A watcher to whom nothing is told; what it costs counts all the same."""

    def __init__(self, effort: Effort) -> None:
        self.effort = effort

    def started(self, start: Start) -> None:
        """Told of nothing."""

    def assigned(self, name: str) -> None:
        """Told of nothing."""

    def broken(self, text: str) -> None:
        """Told of nothing."""

    def unread(self, text: str) -> None:
        """Told of nothing."""
