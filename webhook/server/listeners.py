"""Listening: a socket per port, bound before anything is served, and a uvicorn server on it."""

import contextlib
import os
import socket
import ssl
from collections.abc import Iterator
from typing import Any

import uvicorn

# The API server drops an idle connection after 90 s; a server that drops it first can lose a review under way.
_KEEP_ALIVE_SECONDS = 120
_BACKLOG = 2048


class ListenError(Exception):
    """An address that cannot be listened on; the message says which, why, and what to set."""


def bind(host: str | None, port: int, flag: str) -> socket.socket:
    """Binds a TCP port on an address, or on all of them, IPv4 and IPv6.

    Raises:
        ListenError: the address is taken, not this machine's, or not allowed.
    """
    try:
        if host is None and socket.has_dualstack_ipv6():
            return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=_BACKLOG)
        family = socket.AF_INET6 if host and ":" in host else socket.AF_INET
        return socket.create_server((host or "", port), family=family, backlog=_BACKLOG)
    except OSError as error:
        where = f"{host or 'any address'} port {port}"
        problem = os.strerror(error.errno) if error.errno else str(error)
        raise ListenError(f"cannot listen on {where}: {problem}; see {flag} and --host") from error


class Listener(uvicorn.Server):
    """A server that leaves signals to its owner, who has two of them to stop."""

    def __init__(self, app: Any, *, context: ssl.SSLContext | None, grace_seconds: int) -> None:  # noqa: ANN401 (uvicorn's)
        super().__init__(
            uvicorn.Config(
                app,
                http="httptools",
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=grace_seconds,
                ssl_context_factory=(lambda _config, _default: context) if context else None,
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield
