"""One connection over TLS that asks one thing after the other, for benchmarks that look at each answer."""

import asyncio
from typing import Self

from benchmarks.load import Request, Target, content_length

_LIMIT_BYTES = 2**20


class Connection:
    """A connection that is kept until it is closed."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def opened(cls, target: Target) -> Self:
        """Connects."""
        return cls(*await asyncio.open_connection("localhost", target.port, ssl=target.context, limit=_LIMIT_BYTES))

    async def ask(self, request: Request) -> bytes:
        """Sends one request and returns the body of its answer.

        Raises:
            RuntimeError: it is not 200.
        """
        self._writer.write(request.encoded())
        head = await self._reader.readuntil(b"\r\n\r\n")
        body = await self._reader.readexactly(content_length(head))
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"an answer was not 200: {body[:200]!r}")
        return body

    async def close(self) -> None:
        """Ends the connection."""
        self._writer.close()
        await self._writer.wait_closed()


async def ask(target: Target, request: Request) -> bytes:
    """Sends one request on a connection of its own, and returns the body of its answer.

    Raises:
        RuntimeError: it is not 200.
    """
    connection = await Connection.opened(target)
    try:
        return await connection.ask(request)
    finally:
        await connection.close()
