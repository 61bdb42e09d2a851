"""Reading a request's body, within its limit and its time."""

import asyncio
import time
from typing import Any

from webhook.admission.asgi import Receive
from webhook.admission.settings import AdmissionSettings

# Bytes of all bodies under way: a thousand reviews of ten times the usual size.
_MOST_BYTES = 64 * 1024**2


class DisconnectedError(Exception):
    """The client has gone; there is nobody to answer to."""


class TooLargeError(Exception):
    """The body is larger than what is read."""


class BusyError(Exception):
    """The bodies that are being read are too large together."""


class BodyReader:
    """Reads bodies. One timer watches over all that are under way: most are there at once, and need none of their own.

    A body is given up after the time that the settings allow, or up to as much again.
    """

    def __init__(self, settings: AdmissionSettings) -> None:
        self._limit_bytes = settings.body_limit_bytes
        self._seconds = settings.body_seconds
        # When each task began to read, by the monotonic clock.
        self._began: dict[asyncio.Task[Any], float] = {}
        self._given_up: set[asyncio.Task[Any]] = set()
        # Of all that are under way.
        self._bytes = 0
        # The event loop whose timer is set.
        self._watching: asyncio.AbstractEventLoop | None = None

    async def read(self, receive: Receive) -> bytes:
        """Reads a body.

        Raises:
            DisconnectedError: the client went away.
            TooLargeError: the body is larger than the limit.
            BusyError: all bodies under way are, together.
            TimeoutError: it took too long.
        """
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 (a coroutine runs in one)
        self._began[task] = time.monotonic()
        if self._watching is not task.get_loop():
            self._watch(task.get_loop())
        pieces: list[bytes] = []
        size = 0
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise DisconnectedError
                piece: bytes = message.get("body", b"")
                if size + len(piece) > self._limit_bytes:
                    raise TooLargeError
                if self._bytes + len(piece) > _MOST_BYTES:
                    raise BusyError
                if not message.get("more_body"):
                    return b"".join((*pieces, piece)) if pieces else piece
                pieces.append(piece)
                size += len(piece)
                self._bytes += len(piece)
        except asyncio.CancelledError:
            if task in self._given_up and task.uncancel() == 0:
                raise TimeoutError from None
            raise
        finally:
            self._bytes -= size
            del self._began[task]
            if self._given_up:
                self._given_up.discard(task)

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        self._watching = loop
        loop.call_later(self._seconds, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Gives up what took too long, and looks again while anything is being read."""
        self._watching = None
        for task, began in self._began.items():
            if time.monotonic() - began >= self._seconds and task not in self._given_up:
                self._given_up.add(task)
                task.cancel()
        if self._began:
            self._watch(loop)
