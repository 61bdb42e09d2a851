"""A proxy that serves another server below a prefix and names another host to it, as `kubectl proxy` does."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

PREFIX = "/api/v1/namespaces/fastload/services/fastload:admin/proxy"
_OF_ONE_HOP = {"connection", "host", "content-length", "transfer-encoding", "date", "server"}


@contextmanager
def prefixing_proxy(upstream: str) -> Iterator[str]:
    """Yields the URL below which the upstream's paths are served."""

    class Handler(BaseHTTPRequestHandler):
        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _OF_ONE_HOP}
            headers["host"] = "kubernetes.example"
            url = upstream + self.path.removeprefix(PREFIX)
            reply = httpx.request(self.command, url, content=body, headers=headers, timeout=30)
            self.send_response(reply.status_code)
            for name, value in reply.headers.items():
                if name.lower() not in _OF_ONE_HOP:
                    self.send_header(name, value)
            self.send_header("content-length", str(len(reply.content)))
            self.end_headers()
            self.wfile.write(reply.content)

        do_GET = do_POST = forward  # noqa: N815 (names that the base class looks for)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{PREFIX}"
        finally:
            server.shutdown()
            thread.join()
