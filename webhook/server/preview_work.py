"""One preview, as a thread makes it: bytes in, bytes out."""

import asyncio
import gc
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus

import msgspec

from webhook.pipeline import Pipeline
from webhook.preview.contract import Preview
from webhook.preview.documents import Document, UnreadableInputError, read_documents
from webhook.preview.run import run
from webhook.server.problems import Problem, problem

# The input has no file name, as standard input has none for the command line.
_FILE = "-"
# A preview shows the whole document for each pod in it, so the answer may be many times the input.
_MAX_ANSWER_BYTES = 64 * 2**20


def preview(body: bytes, pipeline: Pipeline, until: float) -> bytes | Problem:
    """Makes a preview. What the manifest is at fault for is a value: a raised error would keep the manifest alive.

    Raises:
        TimeoutError: it was not done at `until`, by the monotonic clock.
    """
    with _uncollected():
        try:
            documents = read_documents(_FILE, body)
            made = asyncio.run(_run(documents, pipeline, until))
        except UnreadableInputError as error:
            return problem(
                HTTPStatus.BAD_REQUEST, error.problem, document=error.document, line=error.line, path=error.path
            )
        return _too_large(documents, made) or msgspec.json.encode(made)


async def _run(documents: Sequence[Document], pipeline: Pipeline, until: float) -> Preview:
    async with asyncio.timeout(until - time.monotonic()):
        return (await run(documents, pipeline)).preview


def _too_large(documents: Sequence[Document], made: Preview) -> Problem | None:
    """Refuses an answer that would be too large, before it is built."""
    pods = [pod.source.document for pod in made.pods]
    sizes = ((document.number, len(msgspec.json.encode(document.value))) for document in documents)
    if sum(size * pods.count(number) for number, size in sizes) <= _MAX_ANSWER_BYTES:
        return None
    return problem(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"the answer would be larger than {_MAX_ANSWER_BYTES // 2**20} MiB, as it shows a whole list for each pod in "
        "it; send the items as documents of their own, with --- between them",
    )


_lock = threading.Lock()
_under_way = 0


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keeps the garbage collector from going through a large manifest again and again.

    It would stop the whole process, reviews too, for a quarter of a second at a time (measured with 5 MB of YAML), and
    a manifest has no cycles to collect.
    """
    global _under_way  # noqa: PLW0603 (so is the collector)
    with _lock:
        _under_way += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _under_way -= 1
            if not _under_way:
                gc.enable()
