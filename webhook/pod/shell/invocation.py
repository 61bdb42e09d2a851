"""A shell's own command line: `bash -euo pipefail -c SCRIPT NAME ARGUMENT...`."""

import msgspec

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh"})
_FILE_OPTIONS = frozenset({"--rcfile", "--init-file"})


class ShellLine(msgspec.Struct, frozen=True):
    """What a shell is asked to run: a script text, a file, or its standard input where both are None."""

    script: str | None
    file: str | None
    name: str
    arguments: tuple[str, ...]


def read_shell_line(argv: list[str]) -> ShellLine | None:
    """Reads a shell's command line; None where the program is no shell, or `-c` lacks its script."""
    program = argv[0].rpartition("/")[2] if argv else ""
    if program == "busybox" and len(argv) > 1:
        return read_shell_line(argv[1:])
    if program not in _SHELLS:
        return None
    at, takes_script, takes_input = 1, False, False
    while at < len(argv) and argv[at][:1] in ("-", "+") and len(argv[at]) > 1:
        option = argv[at]
        at += 1
        if option == "--":
            break
        if option.startswith("--"):
            at += option in _FILE_OPTIONS
            continue
        takes_script |= option[0] == "-" and "c" in option
        takes_input |= option[0] == "-" and "s" in option
        at += option.count("o") + option.count("O")
    rest = argv[at:]
    if takes_script:
        return ShellLine(rest[0], None, (rest[1:] or [program])[0], tuple(rest[2:])) if rest else None
    if rest and not takes_input and rest[0] != "-":
        return ShellLine(None, rest[0], rest[0], tuple(rest[1:]))
    return ShellLine(None, None, program, tuple(rest))
