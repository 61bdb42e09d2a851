"""Logs: one JSON object a line on standard error, or text for a person.

What other libraries log through the standard library comes out the same way, from warnings up. No line ever carries a
pod's environment: callers bind names and outcomes, never a pod.
"""

import logging
import sys
from typing import Any, TextIO, cast

import msgspec
import structlog

from webhook.server.log_stream import LogStream
from webhook.server.settings import LogFormat, LogLevel


def configure(level: LogLevel, form: LogFormat) -> LogStream:
    """Sets up logging for the process, once, and returns what it goes through."""
    stream = LogStream(sys.stderr.fileno())
    file = cast("TextIO", stream)
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    renderers: list[structlog.typing.Processor] = (
        [structlog.processors.JSONRenderer(serializer=_encode)]
        if form is LogFormat.JSON
        else [_printable, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    )
    structlog.configure(
        processors=[*shared, *renderers],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.WriteLoggerFactory(file),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(file)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderers],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(threshold, logging.WARNING))
    logging.captureWarnings(capture=True)
    return stream


def _printable(_logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Takes out what would steer a terminal: the name of a pod under review was not checked by anybody yet."""
    return {key: _shown(value) if isinstance(value, str) else value for key, value in event.items()}


def _shown(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def _encode(event: dict[str, Any], **_options: Any) -> str:  # noqa: ANN401 (structlog's signature)
    return msgspec.json.encode(event, enc_hook=repr).decode()
