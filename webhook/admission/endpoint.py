"""The review endpoint: ASGI, bytes in, bytes out.

A status other than 200 goes only to what is no review, or cannot be answered to: the API server then lets the pod pass
under `failurePolicy: Ignore`. Whatever is a review gets an answer.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from http import HTTPStatus
from typing import Any, Protocol

from webhook.admission.decision import Outcome
from webhook.admission.log import log_decision
from webhook.admission.review import UnreadableReviewError, read_review
from webhook.admission.reviewer import Reviewer
from webhook.admission.settings import AdmissionSettings
from webhook.reasons import Code

# ASGI's own types, as its specification spells them.
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = Sequence[tuple[bytes, bytes]]


class Observer(Protocol):
    """Who counts reviews. Labels come from enumerations only."""

    def observe(self, outcome: Outcome, reasons: Sequence[Code], seconds: float) -> None:
        """Notes one answered request, and the seconds from its first byte to its answer."""


class _RefusedError(Exception):
    """The request is not a review that can be answered."""

    def __init__(self, status: HTTPStatus, message: str, *, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers


class _DisconnectedError(Exception):
    """The client has gone; there is nobody to answer to."""


# What is left of a body that was not read must not be taken for the next request.
_CLOSE: Headers = ((b"connection", b"close"),)


class ReviewEndpoint:
    """An ASGI application that answers `POST` of an AdmissionReview, under any path."""

    def __init__(self, reviewer: Reviewer, settings: AdmissionSettings, observer: Observer) -> None:
        self._reviewer = reviewer
        self._settings = settings
        self._observer = observer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        started = time.perf_counter()
        try:
            _check(scope)
            request = read_review(await self._read(receive))
        except _DisconnectedError:
            return
        except UnreadableReviewError as error:
            await self._refuse(send, _RefusedError(HTTPStatus.BAD_REQUEST, str(error)), started)
        except _RefusedError as refused:
            await self._refuse(send, refused, started)
        else:
            reviewed = await self._reviewer.review(request)
            answer = reviewed.answer
            await _respond(send, HTTPStatus.OK, answer.to(request.uid), content_type=b"application/json")
            # The answer is out: nobody waits for what is counted and written now.
            self._observe(answer.outcome, answer.codes, started)
            if reviewed.facts is not None:
                log_decision(request, reviewed.facts, answer)

    async def _refuse(self, send: Send, refused: _RefusedError, started: float) -> None:
        body = f"{str(refused)[:300]}\n".encode()
        await _respond(send, refused.status, body, content_type=b"text/plain; charset=utf-8", headers=refused.headers)
        self._observe(Outcome.REFUSED, (), started)

    def _observe(self, outcome: Outcome, reasons: Sequence[Code], started: float) -> None:
        # A metric that cannot be counted must not turn an answer into an error.
        with contextlib.suppress(Exception):
            self._observer.observe(outcome, reasons, time.perf_counter() - started)

    async def _read(self, receive: Receive) -> bytes:
        """Reads the body, within its limit and its time."""
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                return await _receive_all(receive, self._settings.body_limit_bytes)
        except TimeoutError:
            raise _RefusedError(
                HTTPStatus.REQUEST_TIMEOUT, "the body took too long to arrive; send it again", headers=_CLOSE
            ) from None


async def _receive_all(receive: Receive, limit: int) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _DisconnectedError
        body += message.get("body", b"")
        if len(body) > limit:
            problem = f"the review is larger than {limit} bytes, the most that is read"
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, problem, headers=_CLOSE)
        if not message.get("more_body", False):
            return bytes(body)


def _check(scope: Scope) -> None:
    if scope["method"] != "POST":
        raise _RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, "send a POST", headers=((b"allow", b"POST"),))
    media_type = _header(scope, b"content-type").partition(b";")[0].strip().lower()
    if media_type != b"application/json":
        raise _RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send a review as application/json")


def _header(scope: Scope, name: bytes) -> bytes:
    """Returns a header's value, or nothing; ASGI gives names in lower case."""
    return next((value for key, value in scope["headers"] if key == name), b"")


async def _respond(send: Send, status: HTTPStatus, body: bytes, *, content_type: bytes, headers: Headers = ()) -> None:
    length = str(len(body)).encode()
    all_headers = [(b"content-type", content_type), (b"content-length", length), *headers]
    await send({"type": "http.response.start", "status": int(status), "headers": all_headers})
    await send({"type": "http.response.body", "body": body})
