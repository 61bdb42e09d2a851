from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from demo.webhook import Running, certificate_flags, running_webhook
from tests.faults.process import Process
from tests.faults.store import faulty_store
from tests.serving import Serve, eventually, ready, tls
from webhook.server.certificates import Files, issue


@pytest.fixture(scope="session")
def store() -> Iterator[str]:
    with faulty_store() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return issue(["localhost", "127.0.0.1"], tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="session")
def trusting(files: Files) -> Iterator[httpx.Client]:
    """A client that trusts the webhook's certificate."""
    with httpx.Client(verify=tls(files.authority), timeout=60) as client:
        yield client


@pytest.fixture
def serve(files: Files, store: str, tmp_path: Path) -> Iterator[Serve]:
    """Starts the real command with these flags, and waits until it is ready; it ends with the test."""
    with ExitStack() as stack:

        def start(**flags: str) -> Running:
            named = {"--" + name.replace("_", "-"): value for name, value in flags.items()}
            every = {**certificate_flags(files), "--s3-endpoint": store, "--drain-seconds": "0", **named}
            running = stack.enter_context(running_webhook(every, tmp_path / "webhook.log"))
            eventually(ready(running))
            return running

        yield start


@pytest.fixture(scope="session")
def shared(
    files: Files, store: str, trusting: httpx.Client, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Process]:
    """One process for the faults that leave it as it was, which is a part of what is shown."""
    flags = {**certificate_flags(files), "--s3-endpoint": store, "--drain-seconds": "0"}
    with running_webhook(flags, tmp_path_factory.mktemp("shared") / "webhook.log") as running:
        eventually(ready(running))
        yield Process(running, trusting)
