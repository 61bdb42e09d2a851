"""Text that is only partly known before the pod runs.

A word of a launch line may hold a variable that the image, a controller or the script itself decides. Such a part is a
hole in the text: a Unicode noncharacter, the name it came from, and another noncharacter. A hole travels through
quoting, joining and splitting like any other text, so no step has to carry a second kind of string. Noncharacters have
no meaning in any interchange (Unicode 23.7); a pod that holds one anyway merely has a value that counts as unknown.
"""

import re

# A value from outside the pod's text: a valueFrom, an unset variable, a name that a controller injects.
_OUTSIDE = "\ufdd0"
# A value that the script decides while it runs: a branch, a loop, the output of a command.
_UNDECIDED = "\ufdd1"
_END = "\ufdd2"
# Stands for a blank within a hole, so that no splitting of words takes it apart.
_BLANK = "\ufdd3"
_HOLE = re.compile(f"[{_OUTSIDE}{_UNDECIDED}][^{_END}]*{_END}?")


def outside(name: str) -> str:
    """A hole for a value that is not in the pod."""
    return f"{_OUTSIDE}{_whole(name)}{_END}"


def undecided(what: str) -> str:
    """A hole for a value that the script itself decides while it runs."""
    return f"{_UNDECIDED}{_whole(what)}{_END}"


def _whole(name: str) -> str:
    return _BLANK.join(name.split())


def is_known(text: str) -> bool:
    """Whether the text has no hole."""
    return _OUTSIDE not in text and _UNDECIDED not in text


def is_undecided(text: str) -> bool:
    """Whether the text has a hole that the script decides."""
    return _UNDECIDED in text


def known(text: str | None) -> str | None:
    """The text if all of it is known, else None."""
    return text if text is not None and is_known(text) else None


def holes(text: str) -> str:
    """What the text depends on, for a sentence: `$MODEL`, or `the output of a command`."""
    parts = text.replace(_UNDECIDED, _OUTSIDE).replace(_BLANK, " ").split(_OUTSIDE)[1:]
    names = [part.partition(_END)[0] for part in parts]
    return " and ".join(dict.fromkeys(f"${name}" if name.isidentifier() else name for name in names))


def masked(text: str) -> str:
    """The text with each hole written as `?`, for comparison and display."""
    return text if is_known(text) else _HOLE.sub("?", text)
