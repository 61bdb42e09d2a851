"""Connections that are of no use to anybody: uvicorn keeps as many as there are, for as long as the other end does.

One that sends a request's head byte by byte, or without an end, is closed here, and so is one too many. One that has a
request under way is left alone: its body and its answer have limits of their own.
"""

import asyncio
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from webhook.server.tls import Handshake

# An API server's request has a few hundred bytes of headers, a browser's a few thousand.
_HEAD_BYTES = 64 * 1024
# An API server has 600 requests under way at the most, by default (its `max-requests-inflight` and the like), and a
# cluster has a few of them.
_MOST = 4096


class Dropped(StrEnum):
    """Why a connection was closed: the label of its metric."""

    SLOW = "slow"
    HEADERS = "headers"
    FULL = "full"


class Heads:
    """Closes the connections that are at one request's head from one look to the next."""

    def __init__(self, dropped: Callable[[Dropped], None]) -> None:
        self._dropped = dropped
        # What the last look found, each with the request before.
        self._seen: dict[Any, object] = {}

    def look(self, connections: Iterable[Any]) -> None:
        """Takes a look."""
        at_head = {each: each.cycle for each in connections if each.head_bytes}
        for each, last in at_head.items():
            if each in self._seen and self._seen[each] is last:
                each.transport.abort()
                self._dropped(Dropped.SLOW)
        self._seen = at_head


def connection_class(
    note: Callable[[Handshake], None] | None, dropped: Callable[[Dropped], None]
) -> type[HttpToolsProtocol]:
    """Returns the protocol of a connection; `note` is told when it begins, which is behind its handshake."""

    class Connection(HttpToolsProtocol):
        # Received of a request whose head is not complete yet.
        head_bytes = 0

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn's own
            if note:
                note(Handshake.COMPLETED)
            super().connection_made(transport)
            # As after each answer: the API server keeps connections that it has not used yet, too.
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )
            if len(self.connections) > _MOST:
                self._drop(Dropped.FULL)

        def data_received(self, data: bytes) -> None:
            last: Any = self.cycle  # None before the first request
            in_body = last is not None and last.more_body
            super().data_received(data)
            if in_body or self.cycle is not last:
                self.head_bytes = 0
                return
            self.head_bytes += len(data)
            if self.head_bytes > _HEAD_BYTES:
                self._drop(Dropped.HEADERS)

        def _drop(self, cause: Dropped) -> None:
            self.transport.abort()
            dropped(cause)

    return Connection
