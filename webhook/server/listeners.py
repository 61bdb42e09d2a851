"""Listening: a socket per port, bound before anything is served, and a uvicorn server on it."""

import asyncio
import contextlib
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from webhook.server.tls import Handshake

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


class Tls(msgspec.Struct, frozen=True):
    """What makes a listener speak TLS, and whom it tells of a completed handshake."""

    context: ssl.SSLContext
    note: Callable[[Handshake], None]


class Listener(uvicorn.Server):
    """A server that leaves signals to its owner, who has two of them to stop."""

    def __init__(self, app: Any, *, tls: Tls | None, grace_seconds: int) -> None:  # noqa: ANN401 (uvicorn's)
        super().__init__(
            uvicorn.Config(
                app,
                http=_telling(tls.note) if tls else HttpToolsProtocol,
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
                ssl_context_factory=(lambda _config, _default: tls.context) if tls else None,
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield


def _telling(note: Callable[[Handshake], None]) -> type[HttpToolsProtocol]:
    """Returns the protocol of a connection; it begins where the handshake is completed."""

    class Telling(HttpToolsProtocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn's own
            note(Handshake.COMPLETED)
            super().connection_made(transport)

    return Telling
