"""Load over TLS: connections that each send the next request when they have the whole answer to the last.

So there are always as many requests under way as connections, and a server that does one after the other takes about as
many times as long for each as it works on it. Percentiles are of the time from a request's sending to the last byte of
its answer, as who sent it sees it.
"""

import asyncio
import ssl
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import cast

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
    """What a server that was kept busy did: answers a second, what each took of its processor, and how long each took.

    Times are in seconds.
    """

    per_second: float
    processor_seconds: float
    p50_seconds: float
    p99_seconds: float


async def measure(target: Target, requests: Sequence[Request], *, connections: int, seconds: float) -> Rate:
    """Keeps a server busy with these requests, again and again, and measures what it does.

    Raises:
        RuntimeError: an answer was not 200.
    """
    supply = cycle([request.encoded() for request in requests])
    took: list[float] = []
    loop = asyncio.get_running_loop()
    connect = partial(loop.create_connection, partial(_Client, supply, took), "localhost", target.port)
    clients = [(await connect(ssl=target.context))[1] for _ in range(connections)]
    started, used = time.perf_counter(), target.processor_seconds()
    took.clear()
    await asyncio.sleep(seconds)
    answered = sorted(took)
    elapsed, used = time.perf_counter() - started, target.processor_seconds() - used
    for client in clients:
        client.close()
    if any(client.failed for client in clients):
        raise RuntimeError("an answer was not 200")
    return Rate(
        per_second=len(answered) / elapsed,
        processor_seconds=used / len(answered),
        p50_seconds=answered[len(answered) // 2],
        p99_seconds=answered[len(answered) * 99 // 100],
    )


@contextmanager
def awake() -> Iterator[None]:
    """Keeps the running event loop from sleeping, for a load that has a core to itself.

    To wake a sleeper on another core costs the server that answers it some microseconds, and the longer a server takes,
    the more often its load has gone to sleep. So between two servers that would count twice.
    """
    loop = asyncio.get_running_loop()
    wanted = True

    def turn() -> None:
        if wanted:
            loop.call_soon(turn)

    turn()
    try:
        yield
    finally:
        wanted = False


def content_length(head: bytes) -> int:
    """Returns how long the body is that follows an answer's head, in bytes."""
    return int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])


class _Client(asyncio.Protocol):
    """One connection, which takes its requests from a supply that all share, and notes how long each answer took."""

    def __init__(self, supply: Iterator[bytes], took: list[float]) -> None:
        self._supply = supply
        self._took = took
        self._sent = 0.0
        self._received = b""
        self._missing = 0
        self._transport: asyncio.Transport | None = None
        self.failed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # what create_connection gives
        self._send(self._transport)

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
            self._took.append(time.perf_counter() - self._sent)
            self._send(self._transport)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def _send(self, transport: asyncio.Transport) -> None:
        self._sent = time.perf_counter()
        transport.write(next(self._supply))
