"""The C++ compiler that Inductor needs, and what stands before it to write down each of its starts."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable

from tests.cluster.cache import Report, cache_folder, exclusive

_NAMES = ("g++", "c++", "clang++")
_LAST_WORDS = 600  # characters of what a failed installation said
# Starts that only ask the compiler what it is.
_QUESTIONS = frozenset({"--version", "-v", "-dumpversion", "-dumpmachine"})


class NoCompilerError(RuntimeError):
    """There is no C++ compiler; the message says what was tried, and what to do."""


def provide(report: Report) -> str:
    """Returns the path of a C++ compiler, and installs Debian's where there is none.

    Raises:
        NoCompilerError: there is none, and none can be installed.
    """
    with exclusive(cache_folder() / "compiler", report):
        found = _found()
        if found is None:
            report("installing a C++ compiler (apt-get install g++)")
            problem = _by_apt()
            found = _found()
            if found is None:
                raise NoCompilerError(
                    "torch.compile needs a C++ compiler for a CPU, and there is none here. Install one so that g++ is "
                    f"on the PATH (Debian: apt-get install g++). Tried apt-get: {problem or 'it brought none'}"
                )
        return found


def recorder(compiler: str, log: str) -> str:
    """Returns a script to be called g++, which writes its arguments down as one line of `log`."""
    return f'#!/bin/sh\nprintf \'%s\\n\' "$*" >> {shlex.quote(log)}\nexec {shlex.quote(compiler)} "$@"\n'


def compilations(lines: Iterable[str]) -> int:
    """Returns how many starts of the compiler were more than a question."""
    return sum(bool(words) and not _QUESTIONS.issuperset(words) for words in (line.split() for line in lines))


def _found() -> str | None:
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


def _by_apt() -> str | None:
    """Installs Debian's package; returns why it could not."""
    if not shutil.which("apt-get"):
        return "there is none"
    if os.geteuid() != 0:
        return "only root may install"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "--yes", "--no-install-recommends", "g++"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode != 0:
            return f"{' '.join(command)} failed: {(done.stderr or done.stdout).strip()[-_LAST_WORDS:]}"
    return None
