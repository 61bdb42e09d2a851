"""The two ports as ASGI applications: reviews, which stay lean, and everything else.

No framework stands before a review: the path is compared, and the endpoint of the admission room does the rest.
"""

from collections.abc import Awaitable, Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from webhook import __version__
from webhook.admission.asgi import Message, Receive, Scope, Send
from webhook.admission.endpoint import ReviewEndpoint
from webhook.page.routes import page_routes
from webhook.server.health import Health
from webhook.server.openapi import describe_preview
from webhook.server.preview import PreviewEndpoint

MUTATE = "/mutate"
VALIDATE = "/validate"


class ReviewPort:
    """The HTTPS port: reviews, each path's by its endpoint, and whether the process lives."""

    def __init__(self, endpoints: Mapping[str, ReviewEndpoint], health: Health) -> None:
        self._endpoints = endpoints
        self._health = health

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Serves one request."""
        endpoint = self._endpoints.get(scope["path"])
        if endpoint is not None:
            return endpoint(scope, receive, _closing(send) if self._health.draining else send)
        if scope["path"] == "/healthz":
            return _answer(send, HTTPStatus.OK, b"ok\n")
        paths = " or ".join(self._endpoints)
        return _answer(send, HTTPStatus.NOT_FOUND, f"nothing here; reviews go to {paths}\n".encode())


def _closing(send: Send) -> Send:
    """Ends the connection with the answer, so that the API server's next review goes to another replica."""

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], (b"connection", b"close")]
        await send(message)

    return wrapped


async def _answer(send: Send, status: HTTPStatus, body: bytes) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": body})


def admin_port(health: Health, registry: CollectorRegistry, previews: PreviewEndpoint) -> FastAPI:
    """Builds the plain HTTP port: health, readiness, metrics, version, and previews with their page."""
    # No pages of documentation: FastAPI's load their scripts from elsewhere.
    app = FastAPI(title="fastload", version=__version__, docs_url=None, redoc_url=None)

    @app.get("/healthz", response_class=PlainTextResponse, summary="Whether the process lives")
    async def healthz() -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    @app.get(
        "/readyz",
        response_class=PlainTextResponse,
        summary="Whether this replica takes reviews",
        responses={503: {"description": "It does not; the body says why", "content": {"text/plain": {}}}},
    )
    async def readyz() -> PlainTextResponse:
        missing = health.missing()
        if missing:
            return PlainTextResponse(f"not ready: {missing}\n", HTTPStatus.SERVICE_UNAVAILABLE)
        return PlainTextResponse("ready\n")

    @app.get("/metrics", response_class=PlainTextResponse, summary="Metrics, as Prometheus scrapes them")
    async def metrics() -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    @app.get("/version", summary="What runs")
    async def version() -> dict[str, str]:
        return {"version": __version__}

    @app.post("/preview", **describe_preview(app))
    async def preview(request: Request) -> Response:
        return await previews.answer(request)

    app.router.routes.extend(page_routes())
    return app
