"""An S3 of the benchmarks' own, which has the same model under every prefix of every bucket, by default of 17 shards.

It imitates one call, ListObjectsV2, as S3 answers it for a folder of files: pages of a thousand, over HTTP/1.1 with
kept connections. It looks at neither bucket nor signature, takes as long as it is told for each call, and counts the
calls by prefix.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

_SHARDS = 17
_TOTAL_BYTES = 67 * 2**30
_PAGE = 1_000
_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"


class S3:
    """What is known of a server that runs: its URL, and how often each prefix was listed."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.listings: Counter[str] = Counter()


@contextmanager
def running_s3(seconds_per_call: float = 0.0, *, shards: int = _SHARDS) -> Iterator[S3]:
    """Runs the server on a free port of the loopback address."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.seconds_per_call, server.shards = seconds_per_call, shards
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
    shards: int


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    # A whole answer at once.
    wbufsize = -1

    def do_GET(self) -> None:
        """Answers a listing."""
        query = parse_qs(urlsplit(self.path).query)
        (prefix,) = query["prefix"]
        self.server.s3.listings[prefix] += 1
        time.sleep(self.server.seconds_per_call)
        body = _page(prefix, self.server.shards, int(query.get("continuation-token", ["0"])[0]))
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name in the base class)
        """Keeps quiet."""


def _page(prefix: str, shards: int, start: int) -> bytes:
    """Returns the page that S3 would, behind so many files."""
    end = min(start + _PAGE, shards)
    size_bytes = _TOTAL_BYTES // shards
    files = "".join(
        f"<Contents><Key>{prefix}model-{number:05}-of-{shards:05}.safetensors</Key><Size>{size_bytes}</Size>"
        "<LastModified>2026-10-05T00:00:00.000Z</LastModified><ETag>&quot;0&quot;</ETag>"
        "<StorageClass>STANDARD</StorageClass></Contents>"
        for number in range(start + 1, end + 1)
    )
    more = end < shards
    rest = f"<IsTruncated>{str(more).lower()}</IsTruncated>"
    if more:
        rest += f"<NextContinuationToken>{end}</NextContinuationToken>"
    head = f"<Name>models</Name><Prefix>{prefix}</Prefix><KeyCount>{end - start}</KeyCount>{rest}"
    return f'<ListBucketResult xmlns="{_NAMESPACE}">{head}{files}</ListBucketResult>'.encode()
