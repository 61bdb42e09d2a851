"""An S3 endpoint with a fault for each bucket; the bucket `healthy` has none, and `busy` lists more than there is."""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

SHARDS = 17
HUGE_KEYS = 100_000
_PAGE_KEYS = 1_000
_ENTRY = "<Contents><Key>m/model-{:05}.safetensors</Key><Size>4000000000</Size></Contents>"
_PAGE = """<?xml version="1.0"?><ListBucketResult><IsTruncated>{}</IsTruncated>
<NextContinuationToken>{}</NextContinuationToken>{}</ListBucketResult>"""
# Entities that would be some gigabytes.
_ENTITIES = "".join(f'<!ENTITY a{number} "{f"&a{number - 1};" * 10}">' for number in range(1, 10))
_BOMB = f'<!DOCTYPE l [<!ENTITY a0 "aaaaaaaaaa">{_ENTITIES}]><ListBucketResult>&a9;</ListBucketResult>'


def page(numbers: range, following: str = "") -> bytes:
    """A page of a listing, with a token where another follows."""
    contents = "".join(map(_ENTRY.format, numbers))
    return _PAGE.format(str(bool(following)).lower(), following, contents).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    ended: threading.Event

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        with contextlib.suppress(OSError):
            _FAULTS[url.path.strip("/")](self)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name in the base class)
        """Keep quiet."""

    def query(self, name: str) -> str:
        return parse_qs(urlsplit(self.path).query).get(name, [""])[0]

    def answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def hang(self) -> None:
        self.close_connection = True
        self.ended.wait()

    def endlessly(self, piece: bytes, seconds: float) -> None:
        """Sends a body without an end, a piece every so many seconds."""
        self.close_connection = True
        self.send_response(200)
        self.end_headers()
        while not self.ended.wait(seconds):
            self.wfile.write(piece)


def _error(status: int, code: str) -> Callable[[_Handler], None]:
    body = f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode()
    return lambda handler: handler.answer(status, body)


def _body(body: bytes) -> Callable[[_Handler], None]:
    return lambda handler: handler.answer(200, body)


def _slow(handler: _Handler) -> None:
    handler.ended.wait(3)
    handler.answer(200, page(range(SHARDS)))


def _huge(handler: _Handler) -> None:
    first = int(handler.query("continuation-token") or 0)
    rest = first + _PAGE_KEYS < HUGE_KEYS
    handler.answer(200, page(range(first, first + _PAGE_KEYS), str(first + _PAGE_KEYS) if rest else ""))


def _reset(handler: _Handler) -> None:
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def _cut_off(handler: _Handler) -> None:
    handler.close_connection = True
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    handler.wfile.write(page(range(SHARDS))[:500])


_FAULTS: dict[str, Callable[[_Handler], None]] = {
    "healthy": _body(page(range(SHARDS))),
    "slow": _slow,
    "hanging": lambda handler: handler.hang(),
    "drip": lambda handler: handler.endlessly(b" ", 0.2),
    "endless": lambda handler: handler.endlessly(b"<" + b"x" * 2**20, 0),
    "huge": _huge,
    "denied": _error(403, "AccessDenied"),
    "skewed": _error(403, "RequestTimeTooSkewed"),
    "absent": _error(404, "NoSuchBucket"),
    "empty": _body(page(range(0))),
    "throttled": _error(503, "SlowDown"),
    "broken": _error(500, "InternalError"),
    "elsewhere-301": _error(301, "PermanentRedirect"),
    "elsewhere-400": _error(400, "AuthorizationHeaderMalformed"),
    "garbage": _body(b"\x00\x01<<not xml"),
    "truncated": _body(page(range(SHARDS))[:-30]),
    "cut-off": _cut_off,
    "other-xml": _body(b"<html><body>Welcome to our Wi-Fi</body></html>"),
    "bomb": _body(_BOMB.encode()),
    "reset": _reset,
}


@contextmanager
def faulty_store() -> Iterator[str]:
    """Runs the endpoint on a free port of the loopback address, and yields its URL."""
    ended = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"ended": ended}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
