"""Lines of log for reviews, in bulk: there is one for each pod, and a burst brings thousands of them.

A line looks as `webhook.server.logs` has it, but the lines of one turn of the event loop have one time, and are encoded
and written as one.
"""

import datetime as dt
from collections.abc import Sequence

import msgspec

from webhook.admission.journal import Line, ReviewLog, StructuredLog
from webhook.server.log_stream import LogStream
from webhook.server.settings import LogFormat, LogLevel


def review_log(stream: LogStream, level: LogLevel, form: LogFormat) -> ReviewLog:
    """Returns what writes lines of reviews, at this level and in this form."""
    if level not in {LogLevel.DEBUG, LogLevel.INFO}:
        return _NoLog()
    return _JsonLog(stream) if form is LogFormat.JSON else StructuredLog()


class _NoLog:
    """Writes nothing: the threshold lies above."""

    def write(self, event: str, lines: Sequence[Line]) -> None:
        """Writes nothing."""


class _JsonLog:
    """Writes JSON objects, a line each."""

    def __init__(self, stream: LogStream) -> None:
        self._stream = stream
        self._encoder = msgspec.json.Encoder()

    def write(self, event: str, lines: Sequence[Line]) -> None:
        """Writes lines of information, each with its fields and what happened."""
        common = {"event": event, "level": "info", "timestamp": _now()}
        self._stream.write_lines(self._encoder.encode_lines([line | common for line in lines]))


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat().replace("+00:00", "Z")
