"""Sentences without the values of a pod's environment: where one stands in a sentence, its name does instead.

A warning goes to who applied the workload, and from there into the logs of pipelines and controllers.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

import msgspec

from webhook.lookup.uri import origin
from webhook.pod.view import Pod
from webhook.reasons import Counsel, Reason

_Sentence = TypeVar("_Sentence", Reason, Counsel)

# Of a value that is looked for, in characters: shorter ones are flags and numbers, which any sentence may hold.
_SHORTEST = 8
# As much of a value is never cut away from a sentence, in characters.
_BEGINNING = 50
# What a script makes of a value may be a part of it: such a word is looked for in the values. Shorter ones are common.
_WORD = re.compile(r"[^\s\"'`$(){}\[\]<>|&;,]{12,}")
# What a sentence, or a folder's address, ends with.
_PUNCTUATION = ".:…/"


def values_of(pod: Pod) -> Mapping[str, str]:
    """Returns what is not to be said, each with what to say instead; of two that overlap, the longer one first."""
    found = {spelling: f"${name}" for name, value in _literals(pod) for spelling in {value, origin(value) or value}}
    return {value: found[value] for value in sorted(found, key=len, reverse=True)}


def quiet(sentence: _Sentence, values: Mapping[str, str]) -> _Sentence:
    """Returns a sentence without the values."""
    return msgspec.structs.replace(sentence, text=unspoken(sentence.text, values))


def unspoken(text: str, values: Mapping[str, str]) -> str:
    """Writes a text without the values; it ends where one stands that was cut short."""
    for value, name in values.items():
        text = text.replace(value, name)
        kept, cut, _ = text.partition(value[:_BEGINNING])
        if cut:
            text = f"{kept}{name}…"
    return _WORD.sub(lambda word: _named(word[0], values), text) if values else text


def _named(word: str, values: Mapping[str, str]) -> str:
    part = word.strip(_PUNCTUATION)
    name = next((name for value, name in values.items() if part in value), part)
    return word.replace(part, name)


def _literals(pod: Pod) -> Iterator[tuple[str, str]]:
    spec = pod.spec
    for container in (*(spec.containers or ()), *(spec.init_containers or ())) if spec else ():
        for entry in container.env or ():
            if entry.value is not None and len(entry.value) >= _SHORTEST:
                yield entry.name, entry.value
