"""Load over TLS: connections that each send the next request when they have the whole answer to the last."""

import asyncio
import ssl
import time
from collections.abc import Callable
from functools import partial

import msgspec


class Request(msgspec.Struct, frozen=True):
    """One HTTP/1.1 request, kept alive."""

    path: str
    body: bytes

    def encoded(self) -> bytes:
        """Returns the bytes that go over the wire."""
        head = f"POST {self.path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        return head.encode() + f"content-length: {len(self.body)}\r\n\r\n".encode() + self.body


class Target(msgspec.Struct, frozen=True):
    """Where the server listens."""

    port: int
    context: ssl.SSLContext


async def ask(target: Target, request: Request) -> bytes:
    """Sends one request and returns the whole answer, head and body."""
    reader, writer = await asyncio.open_connection("localhost", target.port, ssl=target.context)
    writer.write(request.encoded())
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
    body = await reader.readexactly(length)
    writer.close()
    await writer.wait_closed()
    return head + body


async def requests_per_second(target: Target, request: Request, *, connections: int, seconds: float) -> float:
    """Measures how many requests are answered in a second by a server that is kept busy.

    Raises:
        RuntimeError: an answer was not 200.
    """
    answer_bytes = len(await ask(target, request))
    clients = [await _connect(target, partial(_Client, request.encoded(), answer_bytes)) for _ in range(connections)]
    started = time.perf_counter()
    before = sum(client.answered for client in clients)
    await asyncio.sleep(seconds)
    answered = sum(client.answered for client in clients) - before
    elapsed = time.perf_counter() - started
    for client in clients:
        client.close()
    if any(client.failed for client in clients):
        raise RuntimeError(f"{request.path} did not answer 200 to every request")
    return answered / elapsed


async def _connect(target: Target, client: "Callable[[], _Client]") -> "_Client":
    loop = asyncio.get_running_loop()
    return (await loop.create_connection(client, "localhost", target.port, ssl=target.context))[1]


class _Client(asyncio.Protocol):
    """One connection. The answers to one request are all of one length, so their bytes are only counted."""

    def __init__(self, request: bytes, answer_bytes: int) -> None:
        self._request = request
        self._answer_bytes = answer_bytes
        self._missing = answer_bytes
        self._transport: asyncio.Transport | None = None
        self.answered = 0
        self.failed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 (what create_connection gives)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if self._missing == self._answer_bytes and not data.startswith(b"HTTP/1.1 200"):
            self.failed = True
        self._missing -= len(data)
        if self._missing == 0 and self._transport is not None:
            self.answered += 1
            self._missing = self._answer_bytes
            self._transport.write(self._request)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
