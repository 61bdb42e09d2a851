from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from demo.webhook import certificate_flags, running_webhook
from tests.browser.chromium import provide, sandbox_flags
from tests.browser.previewpage import PreviewPage
from webhook.server.certificates import issue

OpenPage = Callable[..., PreviewPage]


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the admin port of a running fastload is."""
    folder = tmp_path_factory.mktemp("page")
    flags = {**certificate_flags(issue(["localhost"], folder)), "--drain-seconds": "0"}
    with running_webhook(flags, folder / "webhook.log") as running:
        yield running.admin


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = provide()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=sandbox_flags())
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lasting(browser: Browser, base: str) -> PreviewPage:
    """One page for many tests, none of which leaves it another."""
    return PreviewPage(browser.new_context().new_page(), base).open()


@pytest.fixture
def open_page(browser: Browser, base: str) -> Iterator[OpenPage]:
    """Opens pages; after the test, none has asked anybody else, and nothing went wrong in any."""
    pages: list[PreviewPage] = []
    with ExitStack() as stack:

        def start(fragment: str = "", **options: Any) -> PreviewPage:  # noqa: ANN401 (Playwright's own options)
            context = browser.new_context(permissions=["clipboard-read", "clipboard-write"], **options)
            stack.callback(context.close)
            pages.append(PreviewPage(context.new_page(), base))
            return pages[-1].open(fragment)

        yield start
        for page in pages:
            assert page.problems == []
            assert {request.url for request in page.requests if not request.url.startswith(f"{base}/")} == set()


@pytest.fixture
def preview(open_page: OpenPage) -> PreviewPage:
    return open_page()
