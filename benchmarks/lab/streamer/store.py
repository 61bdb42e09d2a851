"""An S3 that is as slow as it is told, and that logs every GET.

It has the models of one trial under one bucket, made of zeros, so that they take no space. Each connection has a rate,
all of them share a link, and some GETs crawl or are refused, chosen by a seed. A proxy for bandwidth in front of an
ordinary S3 knows neither a shared link nor single GETs; so this is a server of the lab's own.

    python -m benchmarks.lab.streamer.store TRIAL.json LOG.json

It prints its port once it listens, and writes the log when it is told to end (SIGTERM).
"""

import asyncio
import hashlib
import signal
import sys
from pathlib import Path
from typing import cast
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import httptools
import msgspec
import uvloop

from benchmarks.lab.streamer.stock import Get, Stock

_TICK_SECONDS = 0.02
# A connection that could not send for a while may not catch up with more than this.
_MOST_CREDIT_SECONDS = 0.2
_ZEROS = memoryview(bytes(1 << 20))
_ETAG = '"0"'
_DATE = "Mon, 05 Oct 2026 00:00:00 GMT"


class _Transfer:
    """A body on its way: what is left of it, and how fast it goes."""

    def __init__(self, get: Get, transport: asyncio.Transport, head: bytes, starts: float) -> None:
        self.get, self.transport, self.starts = get, transport, starts
        self.head, self.sent, self.credit = head, 0, 0.0
        self.crawls_until = 0.0

    def send(self, credit: float, most: float) -> bool:
        """Sends what the credit allows; returns whether the whole body is out."""
        if self.transport.get_write_buffer_size():
            return False
        self.credit = min(self.credit + credit, max(most, 1.0))
        size = min(int(self.credit), self.get.length - self.sent)
        self.credit -= size
        while size > 0:
            piece = self._piece(size)
            self.transport.write(piece)
            self.sent += len(piece)
            size -= len(piece)
        return self.sent == self.get.length

    def _piece(self, size: int) -> bytes | memoryview:
        at = self.get.start + self.sent
        if at < len(self.head):
            return self.head[at : at + size]
        return _ZEROS[: min(size, len(_ZEROS))]


class _Store:
    def __init__(self, stock: Stock) -> None:
        self.pace = stock.pace
        self.heads = {file.key: file.header() for file in stock.files}
        self.sizes = {file.key: len(self.heads[file.key]) + sum(file.tensors) for file in stock.files}
        self.log: list[Get] = []
        self.attempts: dict[tuple[str, int], int] = {}
        self.active: set[_Transfer] = set()
        self.connections = 0
        self.loop = asyncio.get_running_loop()
        self._last = self.loop.time()

    def tick(self) -> None:
        """Gives every transfer its share of the time since the last tick."""
        now = self.loop.time()
        elapsed, self._last = min(now - self._last, _MOST_CREDIT_SECONDS), now
        going = [each for each in self.active if each.starts <= now]
        slow = [each for each in going if each.crawls_until > now]
        rate = self.pace.connection
        if self.pace.link is not None and len(going) > len(slow):
            left = self.pace.link - len(slow) * self.pace.crawl_rate
            rate = min(rate, left / (len(going) - len(slow)))
        for each in going:
            its = self.pace.crawl_rate if each.crawls_until > now else rate
            if each.send(its * elapsed, its * _MOST_CREDIT_SECONDS):
                self.end(each, "served")
        self.loop.call_later(_TICK_SECONDS, self.tick)

    def end(self, transfer: _Transfer, outcome: str) -> None:
        transfer.get.ended, transfer.get.outcome = self.loop.time(), outcome
        self.active.discard(transfer)

    def begin(self, transport: asyncio.Transport, key: str, wanted: str | None, connection: int) -> _Transfer | None:
        """Answers a GET; returns the body that follows, None where none does."""
        now, total = self.loop.time(), self.sizes.get(key)
        if total is None:
            transport.write(_answer("404 Not Found", b"<Error><Code>NoSuchKey</Code></Error>"))
            return None
        start, length = _range(wanted, total)
        get = Get(key, start, length, connection, now)
        self.log.append(get)
        attempt = self.attempts.get((key, start), 0)
        self.attempts[key, start] = attempt + 1
        if self._drawn("refused", key, start, attempt) < self.pace.refused:
            get.ended, get.outcome = now, "refused"
            transport.write(_answer("503 Slow Down", b"<Error><Code>SlowDown</Code></Error>"))
            return None
        transport.write(_head(start, length, total, partial=wanted is not None))
        transfer = _Transfer(get, transport, self.heads[key], now + self.pace.first_byte_seconds)
        if attempt == 0 and self._drawn("crawling", key, start, 0) < self.pace.crawling:
            transfer.crawls_until = now + self.pace.crawl_seconds
        self.active.add(transfer)
        return transfer

    def _drawn(self, what: str, key: str, start: int, attempt: int) -> float:
        text = f"{self.pace.seed} {what} {key} {start} {attempt}".encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=6).digest()) / 2**48

    def listing(self, prefix: str) -> bytes:
        """Returns the page that S3 would: the files right below the prefix."""
        found = [key for key in self.sizes if key.startswith(prefix) and "/" not in key[len(prefix) :]]
        contents = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{self.sizes[key]}</Size><LastModified>2026-10-05T00:00:00.000Z"
            "</LastModified><ETag>&quot;0&quot;</ETag><StorageClass>STANDARD</StorageClass></Contents>"
            for key in sorted(found)
        )
        about = f"<Name>models</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{len(found)}</KeyCount>"
        return (
            '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"{about}<IsTruncated>false</IsTruncated>{contents}</ListBucketResult>"
        ).encode()


class _Connection(asyncio.Protocol):
    def __init__(self, store: _Store) -> None:
        self.store, self.parser = store, httptools.HttpRequestParser(self)
        store.connections += 1
        self.number = store.connections
        self.transfer: _Transfer | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's has another base

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio's interface)
        if self.transfer is not None and self.transfer.get.ended is None:
            self.store.end(self.transfer, "aborted")

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_message_begin(self) -> None:
        self.url = b""
        self.range: str | None = None

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"range":
            self.range = value.decode()

    def on_message_complete(self) -> None:
        """Answers `/BUCKET?prefix=…` with a listing, `/BUCKET/KEY` with the file; every bucket has the same."""
        parts = urlsplit(self.url.decode())
        _, _, key = unquote(parts.path).lstrip("/").partition("/")
        if self.parser.get_method() == b"HEAD":
            self.transport.write(_head(0, self.store.sizes.get(key, 0), 0, partial=False))
        elif key:
            self.transfer = self.store.begin(self.transport, key, self.range, self.number)
        else:
            prefix = parse_qs(parts.query).get("prefix", [""])[0]
            self.transport.write(_answer("200 OK", self.store.listing(prefix)))


def _range(wanted: str | None, total: int) -> tuple[int, int]:
    """Returns start and length of `bytes=FIRST-LAST`."""
    if wanted is None:
        return 0, total
    first, _, last = wanted.removeprefix("bytes=").partition("-")
    return int(first), min(int(last or total - 1), total - 1) - int(first) + 1


def _head(start: int, length: int, total: int, *, partial: bool) -> bytes:
    lines = ["HTTP/1.1 206 Partial Content" if partial else "HTTP/1.1 200 OK", f"Content-Length: {length}"]
    if partial:
        lines.append(f"Content-Range: bytes {start}-{start + length - 1}/{total}")
    lines += [f"ETag: {_ETAG}", f"Last-Modified: {_DATE}", "Accept-Ranges: bytes", "", ""]
    return "\r\n".join(lines).encode()


def _answer(status: str, body: bytes) -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


async def _serve(stock: Stock) -> list[Get]:
    loop = asyncio.get_running_loop()
    store, told = _Store(stock), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, told.set)
    server = await loop.create_server(lambda: _Connection(store), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    store.tick()
    await told.wait()
    return store.log


def _main() -> None:
    stock, log = map(Path, sys.argv[1:])
    gets = uvloop.run(_serve(msgspec.json.decode(stock.read_bytes(), type=Stock)))
    log.write_bytes(msgspec.json.encode(gets))


if __name__ == "__main__":
    _main()
