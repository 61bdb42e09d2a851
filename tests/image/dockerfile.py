"""The Dockerfile, read as far as it is used: each instruction on its own, those in exec form as lists."""

import json
import re
import shlex
from typing import NamedTuple

from tests.image.making import REPOSITORY


class Instruction(NamedTuple):
    """One instruction: its word, and the rest of its line."""

    word: str
    rest: str

    @property
    def exec_form(self) -> list[str]:
        """The command of an instruction that needs no shell; options before it do not count."""
        command: list[str] = json.loads(self.rest[self.rest.index("[") :])
        return command

    @property
    def pairs(self) -> dict[str, str]:
        """What LABEL, ENV and ARG assign."""
        named = (each.partition("=") for each in shlex.split(self.rest))
        return {name: value for name, _, value in named}


def stages() -> list[list[Instruction]]:
    """The instructions of each stage, its FROM first; before them, as a stage of its own, what stands before any."""
    text = (REPOSITORY / "Dockerfile").read_text()
    text = re.sub(r"(?m)^#.*\n", "", text).replace("\\\n", " ")
    found: list[list[Instruction]] = [[]]
    for line in text.splitlines():
        if line.strip():
            word, _, rest = line.partition(" ")
            if word == "FROM":
                found.append([])
            found[-1].append(Instruction(word, rest.strip()))
    return found


def only(stage: list[Instruction], word: str) -> Instruction:
    """The one instruction of this word."""
    (found,) = (each for each in stage if each.word == word)
    return found
