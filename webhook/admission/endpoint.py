"""The review endpoint: ASGI, bytes in, bytes out.

A status other than 200 goes only to what is no review, or cannot be answered to: the API server then lets the pod pass
under `failurePolicy: Ignore`. Whatever is a review gets an answer.
"""

import time
from collections.abc import Sequence
from http import HTTPStatus

from webhook.admission.asgi import Receive, Scope, Send
from webhook.admission.body import BodyReader, BusyError, DisconnectedError, TooLargeError
from webhook.admission.journal import Journal, Noted
from webhook.admission.review import UnreadableReviewError, read_review
from webhook.admission.reviewed import Reviewing
from webhook.admission.settings import AdmissionSettings

Headers = Sequence[tuple[bytes, bytes]]


class _RefusedError(Exception):
    """The request is not a review that can be answered."""

    def __init__(self, status: HTTPStatus, message: str, *, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers


_JSON = (b"content-type", b"application/json")
_TEXT = (b"content-type", b"text/plain; charset=utf-8")
# What is left of a body that was not read must not be taken for the next request.
_CLOSE: Headers = ((b"connection", b"close"),)


class ReviewEndpoint:
    """An ASGI application that answers `POST` of an AdmissionReview, under any path."""

    def __init__(self, reviewer: Reviewing, settings: AdmissionSettings, journal: Journal) -> None:
        self._reviewer = reviewer
        self._bodies = BodyReader(settings)
        self._body_limit_bytes = settings.body_limit_bytes
        self._journal = journal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        started = time.perf_counter()
        try:
            _check(scope)
            body = await self._bodies.read(receive)
            request = read_review(body)
        except DisconnectedError:
            return
        except (TimeoutError, TooLargeError, BusyError) as error:
            await self._refuse(send, self._unread(error), started)
        except UnreadableReviewError as error:
            await self._refuse(send, _RefusedError(HTTPStatus.BAD_REQUEST, str(error)), started)
        except _RefusedError as refused:
            await self._refuse(send, refused, started)
        else:
            reviewed = await self._reviewer.review(request, len(body))
            await _respond(send, HTTPStatus.OK, reviewed.answer.to(request.uid), _JSON)
            self._journal.note(Noted(reviewed.answer, time.perf_counter() - started, request.uid, reviewed.told))

    async def _refuse(self, send: Send, refused: _RefusedError, started: float) -> None:
        body = f"{str(refused)[:300]}\n".encode()
        await _respond(send, refused.status, body, _TEXT, *refused.headers)
        self._journal.note_refused(refused.status, time.perf_counter() - started)

    def _unread(self, error: Exception) -> _RefusedError:
        if isinstance(error, TimeoutError):
            status, problem = HTTPStatus.REQUEST_TIMEOUT, "the body took too long to arrive; send it again"
        elif isinstance(error, TooLargeError):
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            problem = f"the review is larger than {self._body_limit_bytes} bytes, the most that is read"
        else:
            status = HTTPStatus.SERVICE_UNAVAILABLE
            problem = "the reviews that are being read are too large together; send it again"
        return _RefusedError(status, problem, headers=_CLOSE)


def _check(scope: Scope) -> None:
    if scope["method"] != "POST":
        raise _RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, "send a POST", headers=((b"allow", b"POST"),))
    # As the API server says it; others may say it otherwise.
    if _JSON not in scope["headers"] and not _is_json(scope):
        raise _RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send a review as application/json")


def _is_json(scope: Scope) -> bool:
    """Tells it of the content type, whatever its case and its parameters; ASGI gives names in lower case."""
    content_type: bytes = next((value for key, value in scope["headers"] if key == b"content-type"), b"")
    return content_type.partition(b";")[0].strip().lower() == b"application/json"


async def _respond(send: Send, status: HTTPStatus, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    all_headers = [*headers, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": int(status), "headers": all_headers})
    await send({"type": "http.response.body", "body": body})
