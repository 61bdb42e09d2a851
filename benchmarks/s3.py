"""An S3 of the benchmarks' own, which has a model of 17 shards under every prefix of every bucket.

It imitates one call, ListObjectsV2, as S3 answers it for a folder of few files: one page, over HTTP/1.1 with kept
connections. It looks at neither bucket nor signature, takes as long as it is told for each call, and counts the calls
by prefix.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

_SHARDS = 17
_SHARD_BYTES = 67 * 2**30 // _SHARDS
_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"


class S3:
    """What is known of a server that runs: its URL, and how often each prefix was listed."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.listings: Counter[str] = Counter()


@contextmanager
def running_s3(seconds_per_call: float = 0.0) -> Iterator[S3]:
    """Runs the server on a free port of the loopback address."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.seconds_per_call = seconds_per_call
    server.s3 = S3(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.s3
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    s3: S3
    seconds_per_call: float


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    # A whole answer at once.
    wbufsize = -1

    def do_GET(self) -> None:
        """Answers a listing."""
        (prefix,) = parse_qs(urlsplit(self.path).query)["prefix"]
        self.server.s3.listings[prefix] += 1
        time.sleep(self.server.seconds_per_call)
        body = _listing(prefix)
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name in the base class)
        """Keeps quiet."""


def _listing(prefix: str) -> bytes:
    """Returns the page that S3 would."""
    files = "".join(
        f"<Contents><Key>{prefix}model-{number:05}-of-{_SHARDS:05}.safetensors</Key><Size>{_SHARD_BYTES}</Size>"
        "<LastModified>2026-10-05T00:00:00.000Z</LastModified><ETag>&quot;0&quot;</ETag>"
        "<StorageClass>STANDARD</StorageClass></Contents>"
        for number in range(1, _SHARDS + 1)
    )
    head = f"<Name>models</Name><Prefix>{prefix}</Prefix><KeyCount>{_SHARDS}</KeyCount><IsTruncated>false</IsTruncated>"
    return f'<ListBucketResult xmlns="{_NAMESPACE}">{head}{files}</ListBucketResult>'.encode()
