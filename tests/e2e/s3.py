"""The S3 of the tests: models of declared sizes, every request counted, and any model's listing held up at will."""

import http.client
import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from demo.s3 import Model, embedded_s3, store

_GIB = 2**30
BUCKET = "models"


class S3:
    """An S3 behind a front that counts listings by prefix, and holds up those it is told to."""

    def __init__(self, backend: str) -> None:
        self._backend = backend
        self._listings: Counter[str] = Counter()
        self._held: dict[str, threading.Event] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        host, port = self._server.server_address[:2]
        self.endpoint = f"http://{host!s}:{port}"

    def published_model(self) -> Model:
        """Store the published model of 17 shards and 67 GiB under a prefix of its own, and return it."""
        return self.store(Model(BUCKET, f"qwen-{uuid.uuid4().hex[:8]}", 17, 67 * _GIB))

    def store(self, model: Model) -> Model:
        store(self._backend, model)
        return model

    def listings(self, model: Model) -> int:
        """How often the model was listed."""
        return self._listings[f"{model.prefix}/"]

    @contextmanager
    def held_up(self, model: Model) -> Iterator[threading.Event]:
        """Leave the model's listings without an answer until the event is set, or the block ends."""
        released = self._held[f"{model.prefix}/"] = threading.Event()
        try:
            yield released
        finally:
            released.set()

    def serve(self) -> None:
        self._server.serve_forever()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _pass(self, path: str) -> None:
        """Count a request, and return when it may go on."""
        for prefix in parse_qs(urlsplit(path).query).get("prefix", []):
            self._listings[prefix] += 1
            if prefix in self._held:
                self._held[prefix].wait()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        front, backend = self, urlsplit(self._backend)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                front._pass(self.path)
                connection = http.client.HTTPConnection(backend.netloc, timeout=30)
                connection.request("GET", self.path, headers={"Host": backend.netloc})
                reply = connection.getresponse()
                body = reply.read()
                connection.close()
                try:
                    self.send_response(reply.status)
                    self.send_header("Content-Type", reply.headers["Content-Type"])
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:  # who asked got tired of waiting
                    self.close_connection = True

            def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name in the base class)
                """Keep quiet."""

        return Handler


@contextmanager
def running_s3() -> Iterator[S3]:
    """Run an S3 on free ports of the loopback address."""
    with embedded_s3() as backend:
        s3 = S3(backend)
        thread = threading.Thread(target=s3.serve)
        thread.start()
        try:
            yield s3
        finally:
            s3.close()
            thread.join()
