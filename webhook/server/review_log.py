"""Lines of log for reviews, in bulk: there is one for each pod, and a burst brings thousands of them.

A line looks as `webhook.server.logs` has it, but the lines of one turn of the event loop have one time, and are encoded
and written as one.
"""

import datetime as dt
from collections.abc import Callable, Sequence

import msgspec

from webhook.admission.journal import Noted, ReviewLog, StructuredLog, Subject
from webhook.server.log_stream import LogStream
from webhook.server.settings import LogFormat, LogLevel


def review_log(stream: LogStream, level: LogLevel, form: LogFormat) -> ReviewLog:
    """Returns what writes lines of reviews, at this level and in this form."""
    if level not in {LogLevel.DEBUG, LogLevel.INFO}:
        return _NoLog()
    return _JsonLog(stream) if form is LogFormat.JSON else StructuredLog()


class _NoLog:
    """Writes nothing: the threshold lies above."""

    def write(self, subject: Subject, reviews: Sequence[Noted]) -> None:
        """Writes nothing."""


def _line(subject: Subject) -> Callable[..., msgspec.Struct]:
    """Returns the kind of line that has what was reviewed under this key."""
    text, perhaps = str, str | None
    named = [("uid", text), ("namespace", perhaps), (subject.value, perhaps)]
    decided = [("outcome", text), ("reasons", text), ("timestamp", dt.datetime)]
    return msgspec.defstruct("Line", [*named, *decided, ("event", text, "reviewed"), ("level", text, "info")], gc=False)


_LINES = {subject: _line(subject) for subject in Subject}


class _JsonLog:
    """Writes JSON objects, a line each."""

    def __init__(self, stream: LogStream) -> None:
        self._stream = stream
        self._encoder = msgspec.json.Encoder()

    def write(self, subject: Subject, reviews: Sequence[Noted]) -> None:
        """Writes a line of information for each review that is told of."""
        line, now = _LINES[subject], dt.datetime.now(dt.UTC)
        lines = [
            line(each.uid, told.namespace, told.name, each.answer.outcome, each.answer.reasons, now)
            for each in reviews
            if (told := each.told) is not None
        ]
        if lines:
            self._stream.write_lines(self._encoder.encode_lines(lines))
