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

from webhook.server.connections import Dropped, Heads, connection_class
from webhook.server.tls import Handshake

# The API server drops an idle connection after 90 s; a server that drops it first can lose a review under way.
_KEEP_ALIVE_SECONDS = 120
_BACKLOG = 2048
# As long as the API server waits for a whole review, by the chart's default.
_HANDSHAKE_SECONDS = 5.0
# How long the other end of a closed connection may take to say that it heard.
_FAREWELL_SECONDS = 1.0
# Of a tenth of a second each, between two looks at the connections.
_TICKS = 50


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
    """A server that leaves signals to its owner, who has two of them to stop, and keeps no connection for nothing."""

    def __init__(
        self,
        app: Any,  # noqa: ANN401 (uvicorn's)
        *,
        tls: Tls | None,
        grace_seconds: int,
        dropped: Callable[[Dropped], None],
    ) -> None:
        self._tls = tls
        self._heads = Heads(dropped)
        self._protocol = connection_class(tls.note if tls else None, dropped)
        super().__init__(
            uvicorn.Config(
                app,
                http=self._protocol,
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
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens as uvicorn does, and waits for handshakes no longer than a review may take."""
        loop = asyncio.get_running_loop()
        tls: dict[str, Any] = {}
        if self._tls:
            tls = {"ssl": self._tls.context, "ssl_handshake_timeout": _HANDSHAKE_SECONDS}
            tls["ssl_shutdown_timeout"] = _FAREWELL_SECONDS
        self.servers = [
            await loop.create_server(self._connection, sock=each, backlog=_BACKLOG, **tls) for each in sockets or ()
        ]
        self.started = True

    async def on_tick(self, counter: int) -> bool:
        """Looks after the connections, now and then; uvicorn calls it ten times a second."""
        if counter % _TICKS == 0:
            self._heads.look(self.server_state.connections)
        return await super().on_tick(counter)

    def _connection(self) -> asyncio.Protocol:
        return self._protocol(self.config, self.server_state, {})

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield
