"""Every word that fastload gives as a reason, and the sentence that goes with it.

The same word stands in the pod's annotation, the audit annotation, the warning, the metric label and the docs, so it is
declared once, here. A sentence is written for a platform engineer who has not read our code: what was decided, and on
what ground. Placeholders are filled by `because` and `advise`.
"""

from enum import StrEnum

import msgspec


class Code(StrEnum):
    """Why something was set, left alone or skipped."""

    # The gate: whether the pod is ours to touch at all.
    NOT_OPTED_IN = "not-opted-in"
    OPTED_OUT = "opted-out"
    BAD_ANNOTATION = "bad-annotation"
    WINDOWS = "windows"
    # The launch line.
    NO_ENGINE = "no-engine"
    SEVERAL_ENGINES = "several-engines"
    NO_SUCH_CONTAINER = "no-such-container"
    UNDECIDABLE_SCRIPT = "undecidable-script"
    UNREADABLE_CONFIG_FILE = "unreadable-config-file"
    UNKNOWN_MODEL = "unknown-model"


class Advice(StrEnum):
    """What would help further, and is the user's to decide: never applied by itself."""

    ENFORCE_EAGER = "enforce-eager"


class Reason(msgspec.Struct, frozen=True):
    """One reason: the enumerated word and its sentence."""

    code: Code
    text: str


class Counsel(msgspec.Struct, frozen=True):
    """One piece of advice: the enumerated word and its sentence."""

    code: Advice
    text: str


_SENTENCES: dict[Code, str] = {
    Code.NOT_OPTED_IN: "neither the pod nor its namespace asks for fastload",
    Code.OPTED_OUT: "the pod says {annotation}: false",
    Code.BAD_ANNOTATION: "annotation {annotation} was ignored: {problem}",
    Code.WINDOWS: "the pod runs on Windows, where the engines and the streamer do not",
    Code.NO_ENGINE: "no container starts vLLM or SGLang in a way fastload can read",
    Code.SEVERAL_ENGINES: "containers {containers} each start an engine; name one with {annotation}",
    Code.NO_SUCH_CONTAINER: "annotation {annotation} names container {container}, which the pod does not have",
    Code.UNDECIDABLE_SCRIPT: "container {container}: {problem}, so what it launches cannot be told before it runs",
    Code.UNREADABLE_CONFIG_FILE: "container {container} reads {path}, which fastload cannot see before the pod runs",
    Code.UNKNOWN_MODEL: "container {container} launches {engine}, but which model cannot be told: {problem}",
}

_COUNSEL: dict[Advice, str] = {
    Advice.ENFORCE_EAGER: "the engine runs eagerly, so it compiles nothing and there is no compile cache to keep",
}


def because(code: Code, **values: object) -> Reason:
    """Builds a reason from its word and the values its sentence names."""
    return Reason(code, _SENTENCES[code].format(**values))


def advise(code: Advice, **values: object) -> Counsel:
    """Builds a piece of advice from its word and the values its sentence names."""
    return Counsel(code, _COUNSEL[code].format(**values))
