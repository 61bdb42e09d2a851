"""The page's routes on the admin port, and the headers that keep it to itself."""

from collections.abc import Awaitable, Callable, Iterator
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from webhook.page.assets import Asset, load_assets

# Scripts, styles, pictures and requests of this origin alone; nothing inline, no text that becomes code or HTML, and no
# frame around it.
_POLICY = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)
_HEADERS = {
    "content-security-policy": "; ".join(_POLICY),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    # Kept, but asked for anew each time, so that files of two versions never meet.
    "cache-control": "no-cache",
}


def page_routes() -> Iterator[Route]:
    """Yields a route for each file of the page: a path that is no file of it leads nowhere."""
    for path, asset in load_assets().items():
        yield Route(path, _serve(asset), methods=["GET"], include_in_schema=False)


def _serve(asset: Asset) -> Callable[[Request], Awaitable[Response]]:
    headers = {**_HEADERS, "etag": asset.etag}

    async def serve(request: Request) -> Response:
        if _has(request, asset.etag):
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        return Response(asset.body, headers={**headers, "content-type": asset.media_type})

    return serve


def _has(request: Request, etag: str) -> bool:
    """Tells whether the browser says that it has this very content."""
    held = request.headers.get("if-none-match", "")
    return etag in (tag.strip().removeprefix("W/") for tag in held.split(","))
