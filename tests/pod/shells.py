"""Walks a script and tells which programs of a name it starts, following shells within shells."""

import msgspec

from webhook.pod.effort import Effort
from webhook.pod.environment import Environment
from webhook.pod.shell.interpreter import Interpreter
from webhook.pod.shell.invocation import read_shell_line
from webhook.pod.shell.variables import Variables
from webhook.pod.shell.watcher import Start
from webhook.pod.unknown import known


class Launch(msgspec.Struct, frozen=True):
    """One start of the program: its words (None where not known), and what is certain about it."""

    words: tuple[str | None, ...]
    environment: dict[str, str]
    certain: bool


class Walk:
    """A watcher that keeps the starts of one program."""

    def __init__(self, program: str = "vllm") -> None:
        self.program = program
        self.launches: list[Launch] = []
        self.names: set[str] = set()
        self.bad_syntax: list[str] = []
        self.unknown: list[str] = []
        self.effort = Effort()

    def started(self, start: Start) -> None:
        line = read_shell_line(list(start.argv))
        if line is not None:
            text = line.script if line.script is not None or line.file is not None else start.input
            if text is not None:
                variables = Variables(start.environment, line.arguments, line.name)
                Interpreter(variables, self, certain=start.certain).run(text)
        elif start.argv[0] == self.program:
            words = tuple(known(word) for word in start.argv[1:])
            self.launches.append(Launch(words, dict(start.environment.values), start.certain and not start.broken))

    def assigned(self, name: str) -> None:
        self.names.add(name)

    def broken(self, text: str) -> None:
        self.bad_syntax.append(text)

    def unread(self, text: str) -> None:
        self.unknown.append(text)


def walk(script: str, values: dict[str, str] | None = None, *arguments: str) -> Walk:
    """Walks a script in an environment, with positional parameters."""
    watcher = Walk()
    environment = Environment(values or {}, frozenset(values or {}))
    Interpreter(Variables(environment, arguments, "bash"), watcher).run(script)
    return watcher
