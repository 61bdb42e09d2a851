"""Previews in their threads: what they do to each other."""

import asyncio
import threading
import time
from typing import Any

import pytest

from webhook.cli.world import open_pipeline
from webhook.lookup.offline import Assumed
from webhook.preview import documents
from webhook.server import preview_work
from webhook.server.declared import load
from webhook.server.preview_request import Asked

SMALL = b"kind: Pod"
LARGE = SMALL + b"\n#" + b" " * 2**20
ASKED = Asked(offline=True, assumed=Assumed())
PATIENCE_SECONDS = 20.0


def test_a_large_manifest_waits_for_another_one_and_a_small_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    entered, leave = threading.Event(), threading.Event()
    pipeline = asyncio.run(offline())

    def read(_file: str, content: bytes) -> list[documents.Document]:
        if content == LARGE:
            entered.set()
            assert leave.wait(PATIENCE_SECONDS)
        return []

    def preview(body: bytes, seconds: float) -> object:
        return preview_work.preview(body, pipeline, ASKED, time.monotonic() + seconds)

    monkeypatch.setattr(preview_work, "read_documents", read)
    first = threading.Thread(target=preview, args=(LARGE, PATIENCE_SECONDS))
    first.start()
    try:
        assert entered.wait(PATIENCE_SECONDS)
        with pytest.raises(TimeoutError):
            preview(LARGE, 0.01)
        assert isinstance(preview(SMALL, PATIENCE_SECONDS), preview_work.Answer)
    finally:
        leave.set()
        first.join()
    assert isinstance(preview(LARGE, PATIENCE_SECONDS), preview_work.Answer)


async def offline() -> Any:  # noqa: ANN401 (a pipeline)
    async with open_pipeline(load({}, {}), Assumed(), offline=True) as pipeline:
        return pipeline
