"""What is wrong with a manifest, and where: in YAML that cannot be read, and in a pod that is none."""

import re
from typing import Any, cast

import msgspec
import yaml

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_PLACE = re.compile(r" - at `\$(.*)`$")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_GOT = re.compile(r"got `(\w+)`")
_KINDS = {"bool": bool, "int": int, "float": float, "str": str, "array": list, "object": dict, "null": type(None)}
# What is text in quotes and something else without: `inject: true`, `value: 8080`.
_UNQUOTED = {"bool", "int", "float"}
_ANNOTATIONS = "/metadata/annotations/"
# In characters, of a line beyond where it is wrong.
_LOOKED_AT = 1_000


def line_at(text: str, index: int) -> int:
    """Returns the line that holds a place in a text, from 1, as editors count: YAML's own breaks are more."""
    return sum(1 for _ in _LINE_BREAK.finditer(text, 0, index)) + 1


def explain_yaml(error: yaml.YAMLError, text: str) -> tuple[str, int | None]:
    """Returns what is wrong with a text that is no YAML, and in which line, where that is known."""
    if isinstance(error, yaml.reader.ReaderError):
        # The position is one of bytes.
        line = text.encode()[: error.position].count(b"\n") + 1
        return f"the character {error.character:#04x}, which no YAML holds", line
    mark = (error.problem_mark or error.context_mark) if isinstance(error, yaml.MarkedYAMLError) else None
    if mark is None or not isinstance(error, yaml.MarkedYAMLError):
        return " ".join(str(error).split()), None
    start = max(text.rfind(each, 0, mark.index) for each in "\r\n") + 1
    if text.startswith("\t", mark.index):
        problem = "a tab, where YAML takes spaces only"
    elif "{{" in (_LINE_BREAK.split(text[start : mark.index + _LOOKED_AT], maxsplit=1) or [""])[0]:
        problem = "a template's placeholder, {{ }}; render the chart first, by helm template"
    else:
        problem = " ".join(filter(None, (error.context, error.problem)))
    return problem, line_at(text, mark.index)


def explain_pod(error: msgspec.ValidationError, pod: dict[str, Any]) -> tuple[str, str]:
    """Returns what is wrong with a pod, and the JSON pointer to it within the pod.

    Of a mapping with names of the user's own, msgspec does not tell which one it is.
    """
    said = str(error)
    found, got = _PLACE.search(said), _GOT.search(said)
    kind = got[1] if got else ""
    pointer, value, step = "", cast("Any", pod), cast("str | int | None", None)
    for key, at in _STEP.findall(found[1] if found else ""):
        step = key or (int(at) if at.isdecimal() else _first(value, kind))
        if step is None or (isinstance(value, dict) and step not in value):
            break
        pointer += f"/{str(step).replace('~', '~0').replace('/', '~1')}"
        value = value[step]
    if kind == "bool" and pointer.startswith(_ANNOTATIONS):
        text = str(value).lower()
        return f'annotation {step} is a truth value; annotations are text, so quote it: "{text}"', pointer
    problem = f"{_PLACE.sub('', said)} at {pointer or '/'}"
    quotes = kind in _UNQUOTED and said.startswith("Expected `str")
    return f"{problem}; put it in quotes" if quotes else problem, pointer


def _first(mapping: dict[str, Any], kind: str) -> str | None:
    return next((key for key, value in mapping.items() if type(value) is _KINDS.get(kind)), None)
