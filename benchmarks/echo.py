"""The least a server on this stack can do: read the request, answer so many bytes. `POST /N` gets N bytes back."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import uvicorn

from webhook.admission.asgi import Receive, Scope, Send
from webhook.server.listeners import Listener, Tls, bind
from webhook.server.tls import Certificate


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Serves one request."""
    while (await receive()).get("more_body"):
        pass
    body = b"x" * int(scope["path"].removeprefix("/"))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _unnoted(_what: object) -> None:
    """Notes nothing."""


def serve(app: Callable[[Scope, Receive, Send], Awaitable[None]], certificate: str, key: str) -> None:
    """Serves an application until it is killed, on the stack of the webhook; prints the port it listens on."""
    socket = bind("127.0.0.1", 0, "")
    print(socket.getsockname()[1], flush=True)
    tls = Tls(Certificate(Path(certificate), Path(key)).listener_context(_unnoted), _unnoted)
    with asyncio.Runner(loop_factory=uvicorn.Config("", log_config=None).get_loop_factory()) as runner:
        runner.run(Listener(app, tls=tls, grace_seconds=1, dropped=_unnoted).serve([socket]))


if __name__ == "__main__":
    serve(echo, *sys.argv[1:])
