"""What a listener does about connections that are of no use; `tests/faults/test_floods.py` has the real process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from webhook.admission.asgi import Receive, Scope, Send
from webhook.server import connections, listeners
from webhook.server.connections import Dropped
from webhook.server.listeners import Listener, bind

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def listening(dropped: list[Dropped]) -> AsyncIterator[int]:
    """A listener of plain HTTP, and its port."""
    listener, bound = Listener(app, tls=None, grace_seconds=1, dropped=dropped.append), bind("127.0.0.1", 0, "--port")
    port: int = bound.getsockname()[1]
    serving = asyncio.create_task(listener.serve([bound]))
    try:
        yield port
    finally:
        listener.should_exit = True
        await serving


async def ask(streams: Streams) -> bytes:
    streams[1].write(GET)
    await streams[0].readuntil(b"\r\n\r\n")
    return await streams[0].readexactly(2)


def test_one_connection_too_many_is_closed_and_the_others_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_MOST", 2)
    dropped: list[Dropped] = []

    async def scene() -> None:
        async with listening(dropped) as port:
            first, second = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
            assert (await ask(first), await ask(second)) == (b"ok", b"ok")
            third = await asyncio.open_connection("127.0.0.1", port)
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await ask(third)
            assert (await ask(first), await ask(second)) == (b"ok", b"ok")
            for each in (first, second, third):
                each[1].close()

    asyncio.run(scene())
    assert dropped == [Dropped.FULL]


def test_a_connection_that_nobody_uses_is_closed_like_one_that_was_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listeners, "_KEEP_ALIVE_SECONDS", 0.05)
    dropped: list[Dropped] = []

    async def scene() -> None:
        async with listening(dropped) as port:
            unused = await asyncio.open_connection("127.0.0.1", port)
            assert await unused[0].read() == b""
            unused[1].close()
            used = await asyncio.open_connection("127.0.0.1", port)
            assert await ask(used) == b"ok"
            assert await used[0].read() == b""
            used[1].close()

    asyncio.run(scene())
    assert dropped == []


def test_a_head_that_comes_in_pieces_is_no_ground_to_close(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_HEAD_BYTES", 100)
    dropped: list[Dropped] = []

    async def scene() -> None:
        async with listening(dropped) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for _ in range(10):  # a thousand bytes of heads over all, none of them over the limit
                for piece in (b"GET / HTTP/1.1\r\n", b"Host: ", b"here\r\n", b"X: " + b"y" * 50, b"\r\n\r\n"):
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0)
                await reader.readuntil(b"\r\n\r\n")
                assert await reader.readexactly(2) == b"ok"
            writer.close()

    asyncio.run(scene())
    assert dropped == []
