"""Builtins that change what a script does next; all others count as programs of no interest.

Each takes the shell and the words after its name, and tells whether the list that it stands in ends there.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

from webhook.pod.shell.variables import Value, Variables
from webhook.pod.unknown import is_known, undecided

# Files that are sourced everywhere and assign nothing that a launch line uses.
_HARMLESS_FILES = ("/activate", "/conda.sh", "/profile", "/.bashrc", "/.profile", "/setvars.sh", "/setup.bash")


class Shell(Protocol):
    """What a builtin may do to the shell that it runs in."""

    variables: Variables

    def file(self, name: str) -> str | None:
        """The text of a file that the script wrote, or None."""

    @property
    def certain(self) -> bool:
        """Whether this happens for sure, and once."""

    def run(self, script: str) -> None:
        """Walks a text in this shell."""

    def give_up(self, script: str) -> None:
        """A text runs in this shell that cannot be followed."""

    def set(self, name: str, value: Value | None, *, append: bool = False) -> None:
        """Gives a name a value, or takes it away with None."""

    def end(self) -> bool:
        """Ends the shell."""


Builtin = Callable[[Shell, list[str]], bool]


def _exit(shell: Shell, _words: list[str]) -> bool:
    return shell.end()


def _return(shell: Shell, _words: list[str]) -> bool:
    return shell.certain


def _eval(shell: Shell, words: list[str]) -> bool:
    script = " ".join(words)
    if is_known(script):
        shell.run(script)
    else:
        shell.give_up(script)
    return False


def _source(shell: Shell, words: list[str]) -> bool:
    """A file that the script wrote is walked; one that is not known may set any variable."""
    script = shell.file(words[0]) if words else None
    if script is not None:
        shell.run(script)
    elif not words or not words[0].endswith(_HARMLESS_FILES):
        shell.variables.forget()
    return False


def _set(shell: Shell, words: list[str]) -> bool:
    """`set -- WORDS` replaces the positional parameters; options alone do not."""
    if "--" in words:
        _rearrange(shell, tuple(words[words.index("--") + 1 :]))
    elif words and words[0][:1] not in ("-", "+"):
        _rearrange(shell, tuple(words))
    return False


def _shift(shell: Shell, words: list[str]) -> bool:
    count = int(words[0]) if words and len(words[0]) < 4 and words[0].isdecimal() else 1  # noqa: PLR2004 - digits
    _rearrange(shell, shell.variables.arguments[count:])
    return False


def _rearrange(shell: Shell, arguments: tuple[str, ...]) -> None:
    shell.variables.arguments = arguments if shell.certain else (undecided("@"),)


def _let(shell: Shell, words: list[str]) -> bool:
    return _read(shell, [word.partition("=")[0].strip("+-*/% ") for word in words])


def _ulimit(shell: Shell, words: list[str]) -> bool:
    """`ulimit -n N` sets the hard limit on open files, as `-Hn` does; `-Sn` leaves it, and only root can raise it.

    In a branch it may be set: the lower limit is the careful one to keep.
    """
    options = "".join(word[1:] for word in words if word[:1] == "-")
    at = next((at for at, word in enumerate(words, start=1) if word[:1] == "-" and word[-1:] == "n"), len(words))
    limit = "".join(words[at : at + 1])
    if ("S" not in options or "H" in options) and limit.isascii() and limit.isdecimal():
        set_before = shell.variables.open_files
        number = int(limit[:_LIMIT_DIGITS])
        shell.variables.open_files = number if set_before is None or shell.certain else min(set_before, number)
    return False


# Digits of the kernel's highest limit on open files, 2^30.
_LIMIT_DIGITS = 10


def _printf(shell: Shell, words: list[str]) -> bool:
    return _read(shell, words[1:2]) if words[:1] == ["-v"] else False


def _read(shell: Shell, words: list[str]) -> bool:
    """Names among the words get values that only the running script knows."""
    for word in words:
        if word.isidentifier():
            shell.set(word, undecided(word))
    return False


BUILTINS: Mapping[str, Builtin] = {
    "exit": _exit,
    "return": _return,
    "eval": _eval,
    "source": _source,
    ".": _source,
    "set": _set,
    "shift": _shift,
    "let": _let,
    "printf": _printf,
    "ulimit": _ulimit,
    "read": _read,
    "mapfile": _read,
    "readarray": _read,
    "getopts": _read,
}
