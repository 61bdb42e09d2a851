"""Walks a script's program and tells a watcher of every program that it starts.

Nothing runs. Each variable is known or has holes; what stands in a branch, a loop or behind `||` may or may not
happen, so a name assigned there is unknown from then on, and a program started there is reported as uncertain.
"""

from collections.abc import Mapping

from webhook.pod.effort import TooLongError
from webhook.pod.shell.builtins import BUILTINS
from webhook.pod.shell.chain import asks, chain_of, succeeds
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
    Loop,
    Maybe,
    Statement,
    Test,
    Unset,
    Word,
)
from webhook.pod.shell.variables import Value, Variables
from webhook.pod.shell.watcher import Deaf, Start, Watcher
from webhook.pod.unknown import is_known, undecided

_DEEPEST = 24
_MOST_WORDS = 4096


class Interpreter:
    """One shell walking one script."""

    def __init__(self, variables: Variables, watcher: Watcher, *, certain: bool = True) -> None:
        self.variables = variables
        self.watcher = watcher
        # The shell has ended: exit, or exec of a program.
        self.ended = False
        self._maybes = 0 if certain else 1
        self._brokens = 0
        self._depth = 0
        self._functions: dict[str, tuple[Statement, bool]] = {}
        # Files that the script itself wrote, by name.
        self._files: dict[str, str] = {}

    @property
    def certain(self) -> bool:
        """Whether what is walked now happens for sure, and once."""
        return self._maybes == 0

    def run(self, script: str) -> None:
        """Walks a whole script, or a text that the script itself runs in its own shell."""
        if self._depth > _DEEPEST:
            self.give_up(script)
            return
        self._depth += 1
        self.watcher.effort.read(len(script))
        parsed = parse(script)
        self.watcher.effort.parsed(parsed.cost)
        if parsed.program is None:
            raise TooLongError
        self._all(parsed.program)
        self._depth -= 1

    def give_up(self, script: str) -> None:
        """A text runs in this shell that cannot be followed: it may start anything and set any name."""
        self.watcher.unread(script)
        self.variables.forget()

    def set(self, name: str, value: Value | None, *, append: bool = False) -> None:
        """Gives a name a value, or takes it away with None; in a branch, either leaves it undecided."""
        self.watcher.assigned(name)
        if self.certain and value is None:
            self.variables.remove(name)
        elif self.certain and value is not None:
            self.variables.assign(name, value, append=append)
        elif append and isinstance(value, tuple):
            self.variables.assign(name, (undecided(name),), append=True)
        else:
            self.variables.assign(name, undecided(name))

    def start(self, argv: list[str], overlay: Mapping[str, str], text: str | None) -> None:
        """Reports a program; a file that the script wrote counts as the script that it is."""
        at = 1 if len(argv) > 1 and argv[0].rpartition("/")[2] in ("sh", "bash") else 0
        script = self.file(argv[at])
        if script is not None:
            argv = ["bash", "-c", script, *argv[at:]]
        environment = self.variables.environment(overlay)
        self.watcher.started(Start(tuple(argv), environment, text, self.certain, self._brokens > 0))

    # Statements: each walk tells whether the list that it stands in ends there. -----------------------------------

    def _all(self, statements: tuple[Statement, ...]) -> bool:
        return any(self._walk(statement) for statement in statements)

    def _walk(self, statement: Statement) -> bool:
        self.watcher.effort.walk(len(self.variables.values))
        match statement:
            case Command():
                return self._command(statement)
            case Group(body):
                return self._all(body)
            case AndOr():
                return self._and_or(statement)
            case Maybe(body, names):
                self._maybe(body, names)
            case Loop():
                return self._loop(statement)
            case Child(body):
                self._fork()._all(body)  # noqa: SLF001 - another shell of the same class
            case Broken(body, text):
                self._salvage(body, text)
            case Define(name, body):
                self._functions[name] = (body, self.certain)
            case _:
                self._change(statement)
        return False

    def _change(self, statement: Assign | Declare | Unset | Test) -> None:
        """Statements that only change variables."""
        match statement:
            case Assign():
                self._assign(statement)
            case Declare():
                self._declare(statement)
            case Unset(names):
                for name in names:
                    self.set(name, None)
            case Test(names, body):
                self._all(body)
                for name in names:
                    self.set(name, undecided(name))

    def _fork(self) -> "Interpreter":
        fork = Interpreter(self.variables.copy(), self.watcher)
        fork._maybes, fork._brokens, fork._depth = self._maybes, self._brokens, self._depth + 1
        fork._functions, fork._files = dict(self._functions), self._files
        return fork

    def _maybe(self, body: tuple[Statement, ...], names: tuple[str, ...] = ()) -> None:
        self._maybes += 1
        for name in names:
            self.set(name, undecided(name))
        for statement in body:
            self._walk(statement)
        self._maybes -= 1

    def _loop(self, loop: Loop) -> bool:
        """Walks one turn of a loop, with what earlier turns may have left behind."""
        self._settle((*loop.condition, *loop.body))
        if self._all(loop.condition):
            return True
        if loop.endless:
            return self._all(loop.body)
        self._maybe(loop.body)
        return False

    def _settle(self, body: tuple[Statement, ...]) -> None:
        """Doubts every variable that a turn changes, until another turn changes no more."""
        before: dict[str, Value] | None = None
        while before != self.variables.values:
            before = dict(self.variables.values)
            turn = self._fork()
            turn.watcher, turn._files = Deaf(self.watcher.effort), dict(self._files)  # noqa: SLF001 - the same class
            turn._all(body)  # noqa: SLF001 - the same class
            self.variables.doubt(turn.variables)

    def _salvage(self, body: tuple[Statement, ...], text: str) -> None:
        """Bad syntax: what could be made out of it is uncertain, and so are all variables after it."""
        self.watcher.broken(text)
        self._brokens += 1
        self._maybe(body)
        self._brokens -= 1
        self.variables.forget()

    def _and_or(self, statement: AndOr) -> bool:
        """A chain of `&&` and `||`.

        What follows `||` or a test is a branch. What follows another command by `&&` happens for sure, for the rest of
        the chain; behind the chain only if that command succeeds, as setting up does.
        """
        first, links = chain_of(statement)
        if self._walk(first):
            return True
        sure, before = succeeds(first), None
        asked = asks(first) and not sure
        for operator, link in links:
            if operator == "||" or asked:
                self._maybe((link,))
            elif sure or before is not None:
                if self._walk(link) and before is None:
                    return True
            else:
                before = self.variables.copy()
                self._walk(link)
            sure = (sure or succeeds(link)) if operator == "||" else (sure and succeeds(link))
            asked = (asked or asks(link)) and not sure
        if before is not None:
            self.ended = False
            self.variables.doubt(before)
        return False

    # Variables ----------------------------------------------------------------------------------------------------

    def _assign(self, assign: Assign) -> None:
        if assign.indexed:
            self.set(assign.name, undecided(assign.name))
        elif assign.elements is not None:
            self.set(assign.name, tuple(self._fields(assign.elements)), append=assign.append)
        else:
            self.set(assign.name, self.variables.single(assign.word), append=assign.append)

    def _declare(self, declare: Declare) -> None:
        names = [assign.name for assign in declare.assigns]
        options = ""
        for assign in declare.assigns:
            self._assign(assign)
        for word in declare.words:
            name, equals, value = self.variables.single(word).partition("=")
            if name[:1] == "-":
                options += name
            elif not is_known(name):
                self.variables.forget()
            else:
                names.append(name)
                self.watcher.assigned(name)
                if equals:
                    self.set(name, value)
        if declare.keyword == "export" and "n" in options:
            self.variables.exported.difference_update(names)
        elif declare.keyword == "export" or "x" in options:
            self.variables.exported.update(names)

    def _fields(self, words: tuple[Word, ...]) -> list[str]:
        fields: list[str] = []
        for word in words:
            fields += self.variables.fields(word)
            if len(fields) > _MOST_WORDS:
                raise TooLongError
        self.watcher.effort.expand(sum(map(len, fields)))
        return fields

    # Commands -----------------------------------------------------------------------------------------------------

    def _command(self, command: Command) -> bool:
        argv = self._fields(command.words)
        if not argv:
            for assign in command.assigns:
                self._assign(assign)
            return False
        overlay = {assign.name: self.variables.single(assign.word) for assign in command.assigns}
        for name in overlay:
            self.watcher.assigned(name)
        text = self.variables.single(command.heredoc) if command.heredoc is not None else None
        self._write(command, argv[0], text)
        return self._perform(argv, overlay, text)

    def _write(self, command: Command, program: str, text: str | None) -> None:
        """Remembers a file that `cat` writes from a here-document, and forgets one that anything else writes."""
        if command.output is None:
            return
        name = self.variables.single(command.output).removeprefix("./")
        if program == "cat" and text is not None and self.certain:
            self._files[name] = self._files.get(name, "") + text if command.appends else text
        else:
            self._files.pop(name, None)

    def file(self, name: str) -> str | None:
        """The text of a file that the script wrote, or None."""
        return self._files.get(name.removeprefix("./"))

    def _perform(self, argv: list[str], overlay: Mapping[str, str], text: str | None) -> bool:
        """Runs one command: a function, a builtin that matters, or a program."""
        name, rest = argv[0], argv[1:]
        if name in ("command", "builtin") and rest and rest[0][:1] != "-":
            name, rest = rest[0], rest[1:]
        if name in self._functions:
            return self._call(name, rest)
        if name in BUILTINS:
            return BUILTINS[name](self, rest)
        if name == "exec":
            return self._exec(rest, overlay, text)
        self.start([name, *rest], overlay, text)
        return False

    def _exec(self, argv: list[str], overlay: Mapping[str, str], text: str | None) -> bool:
        """`exec PROGRAM` ends the shell; without a program it only redirects."""
        while argv and argv[0] in ("-c", "-l", "-a"):
            argv = argv[2:] if argv[0] == "-a" else argv[1:]
        if not argv:
            return False
        self.start(argv, overlay, text)
        return self.end()

    def end(self) -> bool:
        """Ends the shell, unless this stands in a branch."""
        self.ended = self.certain
        return self.ended

    def _call(self, name: str, arguments: list[str]) -> bool:
        """Walks a function's body where it is called, with its own positional parameters."""
        body, certain = self._functions[name]
        if self._depth > _DEEPEST:
            self.watcher.unread(name)
            return False
        outer, self.variables.arguments = self.variables.arguments, tuple(arguments)
        self._depth += 1
        self._maybes += not certain
        self._walk(body)
        self._maybes -= not certain
        self._depth -= 1
        self.variables.arguments = outer
        return self.ended
