from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from demo.s3 import embedded_s3, store
from demo.webhook import Running, certificate_flags, running_webhook
from tests.serving import QWEN, Serve, tls
from webhook.server.certificates import Files, issue


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    with embedded_s3() as endpoint:
        store(endpoint, QWEN)
        yield endpoint


@pytest.fixture
def certificate(tmp_path: Path) -> Files:
    return issue(["localhost", "127.0.0.1"], tmp_path)


@pytest.fixture
def serve(tmp_path: Path, certificate: Files) -> Iterator[Serve]:
    """Starts the real command with these flags; it ends with the test."""
    with ExitStack() as stack:

        def start(**flags: str) -> Running:
            named = {"--" + name.replace("_", "-"): value for name, value in flags.items()}
            every = {**certificate_flags(certificate), "--drain-seconds": "0", **named}
            return stack.enter_context(running_webhook(every, tmp_path / "webhook.log"))

        yield start


@pytest.fixture
def client(certificate: Files) -> Iterator[httpx.Client]:
    """A client that trusts the test's authority alone."""
    with httpx.Client(verify=tls(certificate.authority), timeout=10) as client:
        yield client


@pytest.fixture(scope="session")
def shared_files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return issue(["localhost", "127.0.0.1"], tmp_path_factory.mktemp("server"))


@pytest.fixture(scope="session")
def shared_log(shared_files: Files) -> Path:
    return shared_files.certificate.with_name("webhook.log")


@pytest.fixture(scope="session")
def running(s3: str, shared_files: Files, shared_log: Path) -> Iterator[Running]:
    """One server for all requests that leave nothing behind."""
    flags = {
        **certificate_flags(shared_files),
        "--s3-endpoint": s3,
        "--drain-seconds": "0",
        "--allowed-buckets": "fastload-*",
    }
    with running_webhook(flags, shared_log) as running:
        yield running
