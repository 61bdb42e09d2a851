"""Walks a script's program and tells a watcher of every program that it starts.

Nothing runs. Each variable is known or has holes; what stands in a branch, a loop or behind `||` may or may not
happen, so a name assigned there is unknown from then on, and a program started there is reported as uncertain.
"""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from webhook.pod.environment import Environment
from webhook.pod.shell.grammar import parse
from webhook.pod.shell.program import (
    AndOr,
    Assign,
    Broken,
    Child,
    Command,
    Declare,
    Define,
    Group,
    Maybe,
    Statement,
    Test,
    Unset,
    Word,
)
from webhook.pod.shell.variables import Value, Variables
from webhook.pod.unknown import is_known, undecided


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

    def step(self) -> None:
        """One statement was walked; raises when there were too many."""


# Files that are sourced everywhere and assign nothing that a launch line uses.
_HARMLESS_FILES = ("/activate", "/conda.sh", "/profile", "/.bashrc", "/.profile", "/setvars.sh", "/setup.bash")
# Builtins and tools that read input into variables; their last words are the names.
_READERS = frozenset({"read", "mapfile", "readarray", "getopts"})
_TESTS = frozenset({"test", "[", "grep", "false", "pgrep"})
_DEEPEST = 24


class Interpreter:
    """One shell walking one script."""

    def __init__(self, variables: Variables, watcher: Watcher, *, certain: bool = True, depth: int = 0) -> None:
        self.variables = variables
        self._watcher = watcher
        self._uncertain = 0 if certain else 1
        self._broken = False
        self._depth = depth
        self._functions: dict[str, tuple[Statement, bool]] = {}
        self._files: dict[str, str] = {}

    def run(self, script: str) -> None:
        """Walks a whole script."""
        self._all(parse(script))

    # Statements. Each walk tells whether the shell ends there (exec, exit, return). -------------------------------

    def _all(self, statements: tuple[Statement, ...]) -> bool:
        return any(self._walk(statement) for statement in statements)

    def _walk(self, statement: Statement) -> bool:
        self._watcher.step()
        match statement:
            case Command():
                return self._command(statement)
            case Assign():
                self._assign(statement)
            case Declare():
                self._declare(statement)
            case Unset(names):
                for name in names:
                    self._set(name, None)
            case Group(body):
                return self._all(body)
            case Child(body):
                self._fork()._all(body)  # noqa: SLF001 - another shell of the same class
            case AndOr():
                return self._and_or(statement)
            case Test(names, body):
                self._all(body)
                for name in names:
                    self._set(name, undecided(name))
            case Maybe(body, names):
                self._maybe(body, names)
            case Define(name, body):
                self._functions[name] = (body, not self._uncertain)
            case Broken(body, text):
                self._salvage(body, text)
        return False

    def _fork(self) -> "Interpreter":
        fork = Interpreter(self.variables.copy(), self._watcher, depth=self._depth + 1)
        fork._uncertain, fork._broken = self._uncertain, self._broken  # noqa: SLF001 - as above
        fork._functions, fork._files = dict(self._functions), self._files  # noqa: SLF001 - as above
        return fork

    def _maybe(self, body: tuple[Statement, ...], names: tuple[str, ...] = ()) -> None:
        self._uncertain += 1
        for name in names:
            self._set(name, undecided(name))
        for statement in body:
            self._walk(statement)
        self._uncertain -= 1

    def _salvage(self, body: tuple[Statement, ...], text: str) -> None:
        self._watcher.broken(text)
        before, self._broken = self._broken, True
        self._maybe(body)
        self._broken = before
        self.variables.forget("a syntax error")

    def _and_or(self, statement: AndOr) -> bool:
        left, right = statement.left, statement.right
        if self._walk(left):
            return True
        if statement.operator == "||" or _is_test(left):
            self._maybe((right,))
            return False
        return self._walk(right)

    # Variables ----------------------------------------------------------------------------------------------------

    def _set(self, name: str, value: Value | None, *, append: bool = False) -> None:
        """Gives a name a value, or takes it away with None; in a branch, either leaves it undecided."""
        self._watcher.assigned(name)
        if not self._uncertain:
            if value is None:
                self.variables.remove(name)
            else:
                self.variables.assign(name, value, append=append)
        elif append and isinstance(value, tuple):
            self.variables.assign(name, (undecided(name),), append=True)
        else:
            self.variables.assign(name, undecided(name))

    def _assign(self, assign: Assign) -> None:
        if assign.indexed:
            self._set(assign.name, undecided(assign.name))
        elif assign.elements is not None:
            self._set(assign.name, tuple(self._fields(assign.elements)), append=assign.append)
        else:
            self._set(assign.name, self.variables.single(assign.word), append=assign.append)

    def _declare(self, declare: Declare) -> None:
        options = "".join(field for word in declare.words for field in self.variables.fields(word) if field[:1] == "-")
        exports = declare.keyword == "export" or "x" in options
        names = [assign.name for assign in declare.assigns]
        for assign in declare.assigns:
            self._assign(assign)
        for word in declare.words:
            name, equals, value = self.variables.single(word).partition("=")
            if name[:1] == "-":
                continue
            if not is_known(name):
                self.variables.forget(f"an {declare.keyword} of unknown names")
            elif equals:
                self._set(name, value)
            names.append(name)
        if "n" in options and declare.keyword == "export":
            self.variables.exported.difference_update(names)
        elif exports:
            for name in names:
                self._watcher.assigned(name)
            self.variables.exported.update(names)

    def _fields(self, words: tuple[Word, ...]) -> list[str]:
        return [field for word in words for field in self.variables.fields(word)]

    # Commands -----------------------------------------------------------------------------------------------------

    def _command(self, command: Command) -> bool:
        argv = self._fields(command.words)
        if not argv:
            for assign in command.assigns:
                self._assign(assign)
            return False
        overlay = {assign.name: self.variables.single(assign.word) for assign in command.assigns}
        for name in overlay:
            self._watcher.assigned(name)
        text = self.variables.single(command.heredoc) if command.heredoc is not None else None
        if command.output is not None and text is not None and argv[0] in ("cat", "tee"):
            self._files[self.variables.single(command.output)] = text
        return self._perform(argv, overlay, text)

    def _perform(self, argv: list[str], overlay: Mapping[str, str], text: str | None) -> bool:
        """Runs one command: a builtin that matters, a function, a file that the script wrote, or a program."""
        name, rest = argv[0], argv[1:]
        while name in ("command", "builtin") and rest[:1] and rest[0][:1] != "-":
            name, rest = rest[0], rest[1:]
        match name:
            case "exit" | "return":
                return not self._uncertain
            case "exec":
                return self._exec(rest, overlay, text)
            case "eval":
                self._eval(" ".join(rest))
            case "source" | ".":
                self._source(rest)
            case "set":
                self._set_arguments(rest)
            case "shift":
                self._shift(rest)
            case "let":
                for word in rest:
                    self._set(word.partition("=")[0].rstrip("+-*/%"), undecided("arithmetic"))
            case "printf" if rest[:1] == ["-v"] and len(rest) > 1:
                self._set(rest[1], undecided(rest[1]))
            case _ if name in _READERS:
                for word in rest:
                    if word.isidentifier():
                        self._set(word, undecided(word))
            case _ if name in self._functions:
                return self._call(name, rest)
            case _:
                self._start([name, *rest], overlay, text)
        return False

    def _start(self, argv: list[str], overlay: Mapping[str, str], text: str | None) -> None:
        line = self._files.get(argv[0]) or self._files.get(argv[1] if len(argv) > 1 and argv[0] in _RUNNERS else "")
        if line is not None:
            argv, text = ["bash"], line
        environment = self.variables.environment(overlay)
        self._watcher.started(Start(tuple(argv), environment, text, not self._uncertain, self._broken))

    def _exec(self, argv: list[str], overlay: Mapping[str, str], text: str | None) -> bool:
        """`exec PROGRAM` ends the shell; without a program it only redirects."""
        while argv and argv[0] in ("-c", "-l", "-a"):
            argv = argv[2:] if argv[0] == "-a" else argv[1:]
        if not argv:
            return False
        self._start(argv, overlay, text)
        return not self._uncertain

    def _eval(self, script: str) -> None:
        if not is_known(script) or self._depth > _DEEPEST:
            self._watcher.broken(script)
            self.variables.forget("an eval of unknown text")
            return
        self._depth += 1
        self.run(script)
        self._depth -= 1

    def _source(self, words: list[str]) -> None:
        if words and words[0] in self._files and self._depth <= _DEEPEST:
            self._eval(self._files[words[0]])
        elif not words or not words[0].endswith(_HARMLESS_FILES):
            self.variables.forget("a sourced file")

    def _set_arguments(self, words: list[str]) -> None:
        """`set -- WORDS` replaces the positional parameters; other forms set options."""
        if "--" in words:
            given = tuple(words[words.index("--") + 1 :])
            self.variables.arguments = (undecided("@"),) if self._uncertain else given
        elif words and words[0][:1] not in "-+":
            self.variables.arguments = (undecided("@"),) if self._uncertain else tuple(words)

    def _shift(self, words: list[str]) -> None:
        count = int(words[0]) if words and words[0].isdecimal() and len(words[0]) < 4 else 1  # noqa: PLR2004 - digits
        arguments = self.variables.arguments
        self.variables.arguments = (undecided("@"),) if self._uncertain else arguments[count:]

    def _call(self, name: str, arguments: list[str]) -> bool:
        """Walks a function's body where it is called, with its own positional parameters."""
        body, certain = self._functions[name]
        if self._depth > _DEEPEST:
            self._watcher.broken(name)
            return False
        outer, self.variables.arguments = self.variables.arguments, tuple(arguments)
        self._depth += 1
        self._uncertain += not certain
        self._walk(body)
        self._uncertain -= not certain
        self._depth -= 1
        self.variables.arguments = outer
        return False


_RUNNERS = frozenset({"sh", "bash", "dash", "/bin/sh", "/bin/bash", "/usr/bin/bash"})


def _is_test(statement: Statement) -> bool:
    """Whether a statement asks a question, so that what follows `&&` is a branch."""
    match statement:
        case Test():
            return True
        case AndOr(left, _, right):
            return _is_test(left) or _is_test(right)
        case Command(_, words) if words and len(words[0]) == 1:
            return getattr(words[0][0], "text", None) in _TESTS
        case _:
            return False
