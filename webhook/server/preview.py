"""`POST /preview`: the preview of the command line, by the server's own look-ups.

All of a preview but its look-ups runs in a thread, on an event loop of its own: reading a large manifest takes
seconds, and reviews must not wait for it. The look-ups are those that reviews go by, caches included, on the event loop
they belong to.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import Request, Response

from webhook.admission.body import BodyReader, BusyError, DisconnectedError, TooLargeError
from webhook.admission.settings import AdmissionSettings
from webhook.preview.notes import Remark
from webhook.preview.settings import PreviewSettings
from webhook.server.preview_lookups import PreviewPipelines
from webhook.server.preview_request import MADE_TYPES, Outcome, check_headers, read_query
from webhook.server.preview_work import Answer, preview
from webhook.server.problems import CLOSE, Problem, ProblemError

_log = structlog.get_logger()
# How long a body may take to arrive.
_BODY_SECONDS = 10.0
_MOST_WARNINGS = 5
# A name may be as long as the manifest, and clients take headers of some kilobytes.
_LONGEST_WARNING = 1_000
_Work = Callable[[float], Answer | Problem]
_OUTCOMES = {HTTPStatus.SERVICE_UNAVAILABLE: Outcome.BUSY, HTTPStatus.GATEWAY_TIMEOUT: Outcome.LATE}


class PreviewEndpoint:
    """Answers requests for previews, a few at a time."""

    def __init__(
        self, pipelines: PreviewPipelines, settings: PreviewSettings, count: Callable[[Outcome], None]
    ) -> None:
        self._pipelines = pipelines
        self._settings = settings
        self._count = count
        limit_bytes = settings.preview_limit_bytes
        self._bodies = BodyReader(AdmissionSettings(body_limit_bytes=limit_bytes, body_seconds=_BODY_SECONDS))
        self._free = settings.previews_at_once

    async def answer(self, request: Request) -> Response:
        """Answers one request; what goes wrong is a problem in its words."""
        try:
            answer = await self._preview(request)
        except ProblemError as error:
            self._count(_OUTCOMES.get(HTTPStatus(error.problem.status), Outcome.REFUSED))
            return error.response()
        except Exception as fault:  # noqa: BLE001 (the log has where it was, and nothing of the manifest)
            _log.error("a preview failed", error=type(fault).__name__, at=_place(fault))
            self._count(Outcome.FAILED)
            detail = "fastload failed on this manifest; its log says where"
            return ProblemError.of(HTTPStatus.INTERNAL_SERVER_ERROR, detail).response()
        self._count(Outcome.PREVIEWED)
        return answer

    async def _preview(self, request: Request) -> Response:
        check_headers(request.headers, self._settings.preview_hosts)
        asked = read_query(request.query_params)
        if self._free == 0:
            at_once = self._settings.previews_at_once
            raise ProblemError.of(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{at_once} previews are under way, and no more run at a time; send it again in a moment",
                {"retry-after": "1", **CLOSE},
            )
        self._free -= 1
        try:
            body = await self._read(request)
            work = self._start(partial(preview, body, self._pipelines.open(asked), asked))
        except BaseException:
            self._free += 1
            raise
        work.add_done_callback(self._release)
        answer = await self._wait(work)
        return Response(answer.content, headers=_warnings(answer.remarks), media_type=MADE_TYPES[asked.output])

    def _start(self, work: _Work) -> "asyncio.Future[Answer | Problem]":
        until = time.monotonic() + self._settings.preview_seconds
        promise: Future[Answer | Problem] = Future()
        # No executor's thread: the process would not end before it.
        threading.Thread(target=_keep, args=(promise, work, until), name="preview", daemon=True).start()
        return asyncio.wrap_future(promise)

    def _release(self, work: "asyncio.Future[Answer | Problem]") -> None:
        """Makes room for the next, once the thread has ended: nobody can end it from outside."""
        self._free += 1
        if not work.cancelled():
            work.exception()  # whoever waited has been told already

    async def _wait(self, work: "asyncio.Future[Answer | Problem]") -> Answer:
        await asyncio.wait((work,), timeout=self._settings.preview_seconds)
        try:
            answer = work.result()
        except (asyncio.InvalidStateError, TimeoutError):  # the thread is not done, or gave up
            detail = f"the preview took longer than {self._settings.preview_seconds:g} s; send fewer documents"
            raise ProblemError.of(HTTPStatus.GATEWAY_TIMEOUT, detail) from None
        if isinstance(answer, Problem):
            raise ProblemError(answer)
        return answer

    async def _read(self, request: Request) -> bytes:
        limit = self._settings.preview_limit_bytes
        too_large = ProblemError.of(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the manifest is larger than {limit} bytes, the most that is read; send it in parts",
            CLOSE,
        )
        if _declared_length(request) > limit:
            raise too_large
        try:
            return await self._bodies.read(request.receive)
        except TooLargeError:
            raise too_large from None
        except BusyError:
            detail = "the manifests under way are too large together; send it again in a moment"
            headers = {"retry-after": "1", **CLOSE}
            raise ProblemError.of(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers) from None
        except TimeoutError:
            detail = "the body took too long to arrive; send it again"
            raise ProblemError.of(HTTPStatus.REQUEST_TIMEOUT, detail, CLOSE) from None
        except DisconnectedError:
            # Nobody hears this.
            raise ProblemError.of(HTTPStatus.BAD_REQUEST, "the body ends before its end", CLOSE) from None


def _keep(promise: "Future[Answer | Problem]", work: _Work, until: float) -> None:
    """Fulfils the promise of a preview; in a thread."""
    try:
        promise.set_result(work(until))
    except BaseException as fault:  # noqa: BLE001 (whoever waits gets it)
        promise.set_exception(fault)


def _warnings(remarks: Sequence[Remark]) -> dict[str, str]:
    """Returns what a form has no place for, as the API server does it with what `kubectl` is to print."""
    told = [f'299 - "{_quotable(each.text)}"' for each in remarks[:_MOST_WARNINGS]]
    if len(remarks) > _MOST_WARNINGS:
        told.append(f'299 - "{len(remarks) - _MOST_WARNINGS} more notes; output=json has them all"')
    return {"warning": ", ".join(told)} if told else {}


def _quotable(text: str) -> str:
    """Returns text as a header may hold it in quotes; names in it come from the manifest."""
    return "".join(each if " " <= each <= "~" and each not in '"\\' else "?" for each in text[:_LONGEST_WARNING])


def _declared_length(request: Request) -> int:
    length = request.headers.get("content-length", "")
    return int(length) if length.isdecimal() and len(length) < 20 else 0  # noqa: PLR2004 (any size there is)


def _place(fault: BaseException) -> str:
    """Returns where in the code a fault came up: its message might quote the manifest."""
    trace: Any = fault.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}" if trace is not None else "unknown"
