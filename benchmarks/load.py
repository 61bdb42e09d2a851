"""Load over TLS: connections that each send the next request when they have the whole answer to the last."""

import asyncio
import ssl
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path

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
    """A server: where it listens, and its process."""

    port: int
    context: ssl.SSLContext
    pid: int

    def processor_seconds(self) -> float:
        """Returns what the server's threads have used of the processor so far."""
        threads = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


class Rate(msgspec.Struct, frozen=True):
    """What a server that was kept busy did: answers a second, and what each took of its processor, in seconds."""

    per_second: float
    processor_seconds: float


async def measure(target: Target, requests: Sequence[Request], *, connections: int, seconds: float) -> Rate:
    """Keeps a server busy with these requests, again and again, and measures what it does.

    Raises:
        RuntimeError: an answer was not 200.
    """
    supply = cycle([request.encoded() for request in requests])
    loop = asyncio.get_running_loop()
    connect = partial(loop.create_connection, partial(_Client, supply), "localhost", target.port, ssl=target.context)
    clients = [(await connect())[1] for _ in range(connections)]
    started, used = time.perf_counter(), target.processor_seconds()
    before = sum(client.answered for client in clients)
    await asyncio.sleep(seconds)
    answered = sum(client.answered for client in clients) - before
    elapsed, used = time.perf_counter() - started, target.processor_seconds() - used
    for client in clients:
        client.close()
    if any(client.failed for client in clients):
        raise RuntimeError("an answer was not 200")
    return Rate(answered / elapsed, used / answered)


def content_length(head: bytes) -> int:
    """Returns how long the body is that follows an answer's head, in bytes."""
    return int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])


class _Client(asyncio.Protocol):
    """One connection, which takes its requests from a supply that all share. Answers are only counted."""

    def __init__(self, supply: Iterator[bytes]) -> None:
        self._supply = supply
        self._received = b""
        self._missing = 0
        self._transport: asyncio.Transport | None = None
        self.answered = 0
        self.failed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 (what create_connection gives)
        self._transport = transport
        transport.write(next(self._supply))

    def data_received(self, data: bytes) -> None:
        if self._missing:
            self._missing -= len(data)
        else:
            self._received += data
            head, end, body = self._received.partition(b"\r\n\r\n")
            if not end:
                return
            self.failed |= not head.startswith(b"HTTP/1.1 200")
            self._received, self._missing = b"", content_length(head) - len(body)
        if self._missing == 0 and self._transport is not None:
            self.answered += 1
            self._transport.write(next(self._supply))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
