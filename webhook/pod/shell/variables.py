"""The variables of a running shell, each known or with holes, and words expanded over them."""

from collections.abc import Iterable, Mapping

import msgspec

from webhook.pod.environment import Environment
from webhook.pod.shell.arithmetic import evaluate
from webhook.pod.shell.patterns import applied
from webhook.pod.shell.program import Arithmetic, Piece, Text, Unreadable, Variable, Word
from webhook.pod.unknown import is_known, is_undecided, outside, undecided

Value = str | tuple[str, ...]
# A piece of expanded text and whether blanks in it separate words; None is a boundary between words.
_Part = tuple[str, bool] | None

# Nobody's launch line is longer; a text grows beyond it only in a script that doubles it.
_LONGEST = 1 << 14
_OTHER_IFS = "words after a change of IFS"


class Variables:
    """Names, values, positional parameters and exports of one shell."""

    def __init__(self, environment: Environment, arguments: Iterable[str], name: str) -> None:
        self._environment = environment
        self.values: dict[str, Value] = dict(environment.values)
        self.exported: set[str] = set(environment.values)
        self.unset: set[str] = set()
        self.arguments: tuple[str, ...] = tuple(arguments)
        self.name = name
        # Whether a name that is not here may have been set by something that cannot be read.
        self.forgotten = environment.forgotten
        # The hard limit on open files, where `ulimit` has set one.
        self.open_files = environment.open_files

    def copy(self) -> "Variables":
        """Variables of a shell forked from this one."""
        fork = Variables(self._environment, self.arguments, self.name)
        fork.values, fork.exported, fork.unset = dict(self.values), set(self.exported), set(self.unset)
        fork.forgotten, fork.open_files = self.forgotten, self.open_files
        return fork

    def environment(self, overlay: Mapping[str, str]) -> Environment:
        """What a program started now finds in its environment."""
        values = {
            name: value for name, value in self.values.items() if name in self.exported and isinstance(value, str)
        }
        return msgspec.structs.replace(
            self._environment,
            values={**values, **overlay},
            forgotten=self.forgotten,
            open_files=self.open_files,
        )

    def assign(self, name: str, value: Value, *, append: bool = False) -> None:
        """Sets a name, or appends to it."""
        if append:
            value = _appended(self.values.get(name, self._absent(name)), value)
        if len(value) + sum(map(len, value)) > 2 * _LONGEST:
            value = undecided(name)
        self.values[name] = value
        self.unset.discard(name)

    def remove(self, name: str) -> None:
        """Unsets a name."""
        self.values.pop(name, None)
        self.unset.add(name)

    def forget(self) -> None:
        """Something that cannot be read was run in this shell: any name may have any value now."""
        self.forgotten = True
        self.values = {name: undecided(name) for name in self.values}
        self.unset.clear()

    def doubt(self, other: "Variables") -> None:
        """These may as well be those others: all that differs is undecided, and the lower limit on open files holds."""
        for name in self.values.keys() | other.values.keys():
            if self.values.get(name) != other.values.get(name):
                self.values[name] = undecided(name)
                self.unset.discard(name)
        if self.arguments != other.arguments:
            self.arguments = (undecided("@"),)
        self.forgotten |= other.forgotten
        limits = [each.open_files for each in (self, other) if each.open_files is not None]
        self.open_files = min(limits, default=None)

    def text(self, name: str) -> str:
        """The value of a name as one text."""
        value = self.values.get(name)
        if value is None:
            return self._absent(name)
        return value if isinstance(value, str) else " ".join(value[:1])

    def _absent(self, name: str) -> str:
        if name in self.unset:
            return ""
        return outside(name) if not self.forgotten else undecided(name)

    def _may_hold(self, name: str) -> bool:
        return name not in self.unset and (self.forgotten or self._environment.may_hold(name))

    # Words -------------------------------------------------------------------------------------------------------

    def single(self, word: Word) -> str:
        """A word as one text, without splitting: the right-hand side of an assignment, a file's name."""
        return "".join(self._joint() if part is None else part[0] for part in self._all_parts(word))

    def fields(self, word: Word) -> list[str]:
        """A word as the words it becomes: none, one or several."""
        if len(word) == 1 and isinstance(word[0], Text):
            return [word[0].text]
        done: list[str] = []
        current: str | None = None
        for part in self._all_parts(word):
            if part is not None and not part[1]:
                current = (current or "") + part[0]
            elif part is not None:
                current = _split(done, current, self._as_split(part[0]))
            elif current is not None:
                done.append(current)
                current = None
        return done if current is None else [*done, current]

    def _as_split(self, text: str) -> str:
        """An unquoted expansion; once IFS is set, what might be split otherwise than at blanks becomes a hole."""
        separators = self.values.get("IFS")
        if separators is None:
            return text
        whole = isinstance(separators, str) and is_known(separators) and not set(text) & {*separators, *" \t\n"}
        return text if whole else undecided(_OTHER_IFS)

    def _joint(self) -> str:
        return " " if "IFS" not in self.values else undecided(_OTHER_IFS)

    def _all_parts(self, word: Word) -> list[_Part]:
        """The parts of a word, or one hole where they would be longer than any launch line."""
        parts: list[_Part] = []
        length = 0
        for piece in word:
            more = self._parts(piece)
            parts += more
            length += sum(1 if part is None else len(part[0]) for part in more)
            if length > _LONGEST:
                return [(undecided("a text too long to follow"), False)]
        return parts

    def _parts(self, piece: Piece) -> list[_Part]:
        match piece:
            case Text(text, _):
                return [(text, False)]
            case Unreadable(what):
                return [(undecided(what), False)]
            case Arithmetic(expression):
                value = evaluate(expression, self.single)
                return [(undecided("arithmetic") if value is None else str(value), False)]
            case Variable(name, quoted, operator, operand, index):
                if name in ("@", "*") or index in ("@", "*"):
                    return self._listed(piece)
                if operator:
                    return self._operated(name, operator, operand, quoted=quoted)
                return [(self._element(name, index), not quoted)]

    def _element(self, name: str, index: str) -> str:
        if name.isdecimal():
            at = int(name)
            return self.name if at == 0 else "".join(self.arguments[at - 1 : at])
        if name == "#":
            return str(len(self.arguments))
        if not name.isidentifier():
            return undecided(f"${name}")
        if not index:
            return self.text(name)
        value = self.values.get(name)
        if isinstance(value, tuple) and index.isdecimal() and is_known("".join(value)):
            return "".join(value[int(index) :][:1])
        return undecided(name)

    def _listed(self, piece: Variable) -> list[_Part]:
        """`$@`, `$*` and their like for arrays: one word each, or all joined by a blank for a quoted `*`."""
        value: Value = self.arguments
        if piece.name not in ("@", "*"):
            value = self.values.get(piece.name, self._absent(piece.name))
            if piece.operator and piece.name not in self.values and not self._may_hold(piece.name):
                value = ()
        items = (value,) if isinstance(value, str) else value
        if piece.operator and not any(items):
            items = tuple(part[0] for part in self._operand(piece.operand, quoted=True) if part is not None)
            items = () if piece.operator[-1] == "+" else items
        if piece.quoted and "*" in (piece.name, piece.index):
            return [(self._joint().join(items), False)]
        parts: list[_Part] = []
        for item in items:
            parts += [None, (item, not piece.quoted)]
        return parts[1:]

    def _operated(self, name: str, operator: str, operand: Word, *, quoted: bool) -> list[_Part]:
        """`${NAME:-word}`, `${NAME%pattern}` and their like."""
        present = name in self.values or (name.isdecimal() and 0 < int(name) <= len(self.arguments))
        value = self._element(name, "")
        empty_counts = operator.startswith(":")
        if operator[-1] == "?":
            return [(value, not quoted)]
        if (present and not is_known(value)) or (not present and self._may_hold(name)):
            hole = undecided if is_undecided(value) else outside
            return [(hole(name), not quoted)]
        if operator[0] in "#%/":
            return [(applied(operator, self.single(operand), value), not quoted)]
        used = present and (bool(value) or not empty_counts)
        if operator[-1] == "+":
            return self._operand(operand, quoted=quoted) if used else [("", not quoted)]
        if used:
            return [(value, not quoted)]
        if operator[-1] == "=":
            self.assign(name, self.single(operand))
        return self._operand(operand, quoted=quoted)

    def _operand(self, operand: Word, *, quoted: bool) -> list[_Part]:
        parts: list[_Part] = []
        for piece in operand:
            splits = not quoted and isinstance(piece, Text) and not piece.quoted
            parts += [part and (part[0], splits or (part[1] and not quoted)) for part in self._parts(piece)]
        return parts or [("", not quoted)]


def _appended(before: Value, value: Value) -> Value:
    if isinstance(before, str) and isinstance(value, str):
        return before + value
    head = (before,) if isinstance(before, str) else before
    if isinstance(before, str) and is_known(before) and not before:
        head = ()
    if isinstance(value, str):
        return (head[0] + value, *head[1:]) if head else (value,)
    return (*head, *value)


def _split(done: list[str], current: str | None, text: str) -> str | None:
    """Adds unquoted expanded text, whose blanks end words; gives back the word that is still open."""
    words = text.split()
    if current is not None and (not words or text[0].isspace()) and text:
        done.append(current)
        current = None
    if not words:
        return current
    words[0] = (current or "") + words[0]
    if text[-1].isspace():
        done.extend(words)
        return None
    done.extend(words[:-1])
    return words[-1]
