"""An API server with a fault that a test sets: of its answers, or of its watches."""

import contextlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

_ANSWERS = {
    "forbidden": (403, b"{}"),
    "failing": (500, b"no"),
    "garbage": (200, b"<html>Welcome</html>"),
}


class ApiServer:
    """Namespaces that are made here, no nodes, and the fault of the day."""

    def __init__(self) -> None:
        self.namespaces: list[str] = []
        # What becomes of every request but a watch, and of a watch; empty where nothing is wrong.
        self.answers = ""
        self.watches = ""
        self.ended = threading.Event()
        # Set when the watches that are open are to end.
        self.turn = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"api": self}))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def end_watches(self, fault: str) -> None:
        """Ends every watch, and has the next ones be at fault."""
        self.watches = fault
        turn, self.turn = self.turn, threading.Event()
        turn.set()

    def write_kubeconfig(self, path: Path) -> None:
        cluster, user = {"name": "c", "cluster": {"server": self.url}}, {"name": "u", "user": {"token": "t"}}
        context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
        path.write_text(
            json.dumps({"clusters": [cluster], "contexts": [context], "users": [user], "current-context": "c"})
        )

    def run(self) -> None:
        self._server.serve_forever()

    def close(self) -> None:
        self.ended.set()
        self.turn.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> tuple[int, bytes]:
        """What it says where nothing is wrong."""
        if path not in ("/api/v1/namespaces", "/api/v1/nodes"):
            return 404, b"{}"
        opted_in, names = {"fastload.dev/inject": "enabled"}, self.namespaces if path.endswith("namespaces") else []
        items = [{"metadata": {"name": name, "labels": opted_in}} for name in names]
        return 200, json.dumps({"metadata": {"resourceVersion": "1"}, "items": items}).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api: ApiServer

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        with contextlib.suppress(OSError):
            if "watch" in parse_qs(url.query):
                self._watch()
            else:
                self._answer(url.path)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name in the base class)
        """Keep quiet."""

    def _answer(self, path: str) -> None:
        match self.api.answers:
            case "away":
                self.close_connection = True
            case "hanging":
                self.api.ended.wait()
            case "":
                self._send(*self.api.answer(path))
            case fault:
                self._send(*_ANSWERS[fault])

    def _watch(self) -> None:
        turn = self.api.turn
        match self.api.watches:
            case "gone":
                self._send(410, b"{}")
            case "nonsense":
                self._send(200, b'{"type":"ADDED"}\n')
            case _:
                self.close_connection = True
                self.send_response(200)
                self.end_headers()
                turn.wait()

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def faulty_api_server() -> Iterator[ApiServer]:
    """Runs it on a free port of the loopback address."""
    server = ApiServer()
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()
