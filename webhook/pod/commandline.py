"""Flags of a launch line, read as argparse reads them.

One reader for all engines; a `Grammar` says which flags an engine has and what each takes. Followed are argparse's own
rules (`--flag value`, `--flag=value`, unique prefixes, `-q8`, negative numbers as values, `--`) and those that vLLM's
parser adds (underscores for dashes, dotted JSON keys). The last of a repeated flag wins.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from enum import Enum

import msgspec

_NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")


class Arity(Enum):
    """What follows a flag."""

    NONE = "none"
    ONE = "one"
    MANY = "many"
    OPTIONAL = "optional"


class Option(msgspec.Struct, frozen=True):
    """A flag under its chief name; `negative` for the `--no-` form of a switch."""

    name: str
    arity: Arity
    negative: bool = False


class Grammar:
    """The flags of one engine, by every spelling."""

    def __init__(self, *, dotted: bool, options: Mapping[str, Option]) -> None:
        self.dotted = dotted  # underscores and dotted JSON keys, as in vLLM
        self._options = options
        self._sorted = sorted(spelling for spelling in options if spelling.startswith("--"))

    @property
    def options(self) -> Mapping[str, Option]:
        """Every flag by each of its spellings."""
        return self._options

    def extended(self, options: Mapping[str, Option]) -> "Grammar":
        """This grammar with more flags."""
        return Grammar(dotted=self.dotted, options={**self._options, **options})

    def find(self, flag: str) -> Option | None:
        """The option that a spelling names: exactly, or as the only one that it is a prefix of."""
        option = self._options.get(flag)
        if option is not None or not flag.startswith("--") or len(flag) < 4:  # noqa: PLR2004 - `--x` names nothing
            return option
        found: Option | None = None
        for spelling in self._sorted[bisect_left(self._sorted, flag) :]:
            if not spelling.startswith(flag):
                break
            other = self._options[spelling]
            if found is not None and found != other:
                return None
            found = other
        return found


def options_of(arity: Arity, spellings: str, *, negatable: bool = False) -> dict[str, Option]:
    """Options from a table: names apart by blanks, each `chief/alias/alias`."""
    table: dict[str, Option] = {}
    for names in spellings.split():
        chief, *aliases = names.split("/")
        option = Option(chief, arity)
        table.update(dict.fromkeys((chief, *aliases), option))
        if negatable:
            table[f"--no-{chief[2:]}"] = Option(chief, arity, negative=True)
    return table


Value = str | bool | tuple[str, ...] | None


class CommandLine(msgspec.Struct):
    """What a launch line says; every text in it may have holes."""

    # By chief name: text, True or False for a switch, all words of a list, None for a flag without its value.
    given: dict[str, Value]
    positionals: list[str]
    # Dotted JSON keys: flag -> path below it -> text.
    dotted: dict[str, dict[str, str]]
    # Flags that the grammar does not have, and words that may be their values or stand for themselves.
    strange: list[str]
    swallowed: list[str]

    def text(self, name: str) -> str | None:
        """The text of a flag, or None where it is absent or has no value."""
        value = self.given.get(name)
        return value if isinstance(value, str) else None

    def on(self, name: str) -> bool:
        """Whether a switch is on."""
        return self.given.get(name) is True

    def normal(self, irrelevant: frozenset[str]) -> tuple[str, ...]:
        """The line in normal form, without some flags: chief names in order, one word a flag."""
        words = [_normal(name, value) for name, value in self.given.items() if name not in irrelevant]
        for name, paths in self.dotted.items():
            if name not in irrelevant:
                words += [f"{name}.{path}={value}" for path, value in paths.items()]
        return tuple(sorted(words))


def _normal(name: str, value: Value) -> str:
    match value:
        case str():
            return f"{name}={value}"
        case tuple():
            return f"{name}={' '.join(value)}"
        case False:
            return f"--no-{name[2:]}"
        case _:
            return name


def read_command_line(words: Sequence[str], grammar: Grammar) -> CommandLine:
    """Reads the words after the program's name; never raises, for a line that the engine would refuse either."""
    line = CommandLine({}, [], {}, [], [])
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            line.positionals.extend(words[at:])
            break
        if not _is_flag(word, grammar):
            line.positionals.append(word)
        else:
            at += _read_flag(line, word, words, at, grammar)
    return line


def _is_flag(word: str, grammar: Grammar) -> bool:
    """Whether a word is a flag: not a lone dash, not a negative number, no text with a blank that names no flag."""
    if word[:1] != "-" or len(word) == 1 or (word[1] in ".0123456789" and _NEGATIVE_NUMBER.fullmatch(word)):
        return False
    return " " not in word or _named(word, grammar) is not None


class _Named(msgspec.Struct, frozen=True):
    """A word that names a flag: the option, a path into its JSON, and the value attached to the word."""

    option: Option
    path: str
    attached: str | None


def _named(word: str, grammar: Grammar) -> _Named | None:
    flag, equals, value = word.partition("=")
    attached = value if equals else None
    option = grammar.find(flag)
    if option is not None:
        return _Named(option, "", attached)
    if grammar.dotted:
        flag, path = _respelled(flag)
        option = grammar.find(flag)
        if option is not None:
            return _Named(option, path.removesuffix("+"), attached)
    option = grammar.find(word[:2]) if word[1:2] != "-" else None
    return _Named(option, "", word[2:]) if option is not None else None


def _respelled(flag: str) -> tuple[str, str]:
    """Spellings of vLLM's: underscores before the first dot count as dashes, and a dot starts a path into JSON."""
    name, _, path = flag.partition(".")
    return ("--" + name[2:].replace("_", "-") if name.startswith("--") else name), path


def _read_flag(line: CommandLine, word: str, words: Sequence[str], at: int, grammar: Grammar) -> int:
    """Reads one flag, and says how many of the words after it were its values."""
    named = _named(word, grammar)
    following = _values(words, at, grammar) if "=" not in word else ()
    if named is None:
        return _read_strange(line, word, following[:1])
    if not named.path:
        return _store(line, named.option, named.attached, following)
    text = named.attached if named.attached is not None else "".join(following[:1])
    line.dotted.setdefault(named.option.name, {})[named.path] = text
    return len(following[:1]) if named.attached is None else 0


def _read_strange(line: CommandLine, word: str, following: Sequence[str]) -> int:
    """A flag that the grammar does not have: a word after it is probably its value."""
    flag, equals, value = word.partition("=")
    line.strange.append(flag)
    line.given[flag] = value if equals else "".join(following)
    if equals:
        return 0
    line.swallowed += following
    return len(following)


def _values(words: Sequence[str], at: int, grammar: Grammar) -> Sequence[str]:
    """The words that a flag may take: all up to the next flag."""
    end = at
    while end < len(words) and words[end] != "--" and not _is_flag(words[end], grammar):
        end += 1
    return words[at:end]


def _store(line: CommandLine, option: Option, attached: str | None, following: Sequence[str]) -> int:
    match option.arity:
        case Arity.NONE:
            line.given[option.name] = not option.negative
            return 0
        case Arity.MANY:
            line.given[option.name] = (attached,) if attached is not None else tuple(following)
            return len(following) if attached is None else 0
        case _ if attached is not None:
            line.given[option.name] = attached
            return 0
        case _:
            line.given[option.name] = following[0] if following else None
            return len(following[:1])
