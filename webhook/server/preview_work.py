"""One preview, as a thread makes it: bytes in, bytes out."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus

import msgspec

from webhook.pipeline import Pipeline
from webhook.preview.contract import Preview
from webhook.preview.documents import Document, UnreadableInputError, read_documents
from webhook.preview.notes import Remark
from webhook.preview.rendering.forms import Form, remarks_on, render
from webhook.preview.run import Outcome, run
from webhook.preview.uncollected import uncollected
from webhook.server.preview_request import Asked
from webhook.server.problems import Problem, problem


class Answer(msgspec.Struct, frozen=True):
    """What a preview is answered with, and what has no place in it."""

    content: bytes
    remarks: tuple[Remark, ...]


# The input has no file name, as standard input has none for the command line.
_FILE = "-"
# A preview shows the whole document for each pod in it, so the answer may be many times the input.
_MAX_ANSWER_BYTES = 64 * 2**20
# A manifest of more bytes may take hundreds of megabytes while it is read: half a million values fit into one megabyte.
_LARGE_BYTES = 256 * 1024
_one_large = threading.Lock()


def preview(body: bytes, pipeline: Pipeline, asked: Asked, until: float) -> Answer | Problem:
    """Makes a preview. What the manifest is at fault for is a value: a raised error would keep the manifest alive.

    Raises:
        TimeoutError: it was not done at `until`, by the monotonic clock.
    """
    with _turn(body, until), uncollected():
        try:
            documents = read_documents(_FILE, body)
            made = asyncio.run(_run(documents, pipeline, asked, until))
        except UnreadableInputError as error:
            return problem(
                HTTPStatus.BAD_REQUEST, error.problem, document=error.document, line=error.line, path=error.path
            )
        if asked.output is not Form.JSON or not asked.patched:
            made = made.without_patched()
        elif too_large := _too_large(documents, made.preview):
            return too_large
        remarks = () if asked.output is Form.JSON else remarks_on(asked.output, made)
        return Answer(render(asked.output, documents, made), remarks)


@contextmanager
def _turn(body: bytes, until: float) -> Iterator[None]:
    """Lets large manifests through one after the other: side by side they are no faster, and take twice the memory."""
    if len(body) <= _LARGE_BYTES:
        yield
        return
    if not _one_large.acquire(timeout=max(until - time.monotonic(), 0)):
        raise TimeoutError
    try:
        yield
    finally:
        _one_large.release()


async def _run(documents: Sequence[Document], pipeline: Pipeline, asked: Asked, until: float) -> Outcome:
    async with asyncio.timeout(until - time.monotonic()):
        return await run(documents, pipeline, namespace=asked.namespace, usd_per_hour=asked.price_per_hour)


def _too_large(documents: Sequence[Document], made: Preview) -> Problem | None:
    """Refuses an answer that would be too large, before it is built."""
    pods = Counter(pod.source.document for pod in made.pods)
    sizes = ((document.number, len(msgspec.json.encode(document.value))) for document in documents)
    if sum(size * pods[number] for number, size in sizes) <= _MAX_ANSWER_BYTES:
        return None
    return problem(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"the answer would be larger than {_MAX_ANSWER_BYTES // 2**20} MiB, as it shows a whole list for each pod in "
        "it; ask with patched=false, or send the items as documents of their own, with --- between them",
    )
