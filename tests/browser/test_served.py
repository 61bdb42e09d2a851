"""How the page's files are served: to this origin alone, anew only when they changed, below any prefix."""

import re

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.prefixing import prefixing_proxy
from tests.browser.previewpage import ASSETS, PUBLISHED, PreviewPage

FILES = sorted(str(path.relative_to(ASSETS)) for path in ASSETS.rglob("*.*"))
PATHS = ["/" if name == "index.html" else f"/page/{name}" for name in FILES] + ["/page/instance-types.json"]


@pytest.mark.parametrize("path", PATHS)
def test_a_file_keeps_to_its_origin_and_is_sent_once(base: str, path: str) -> None:
    reply = httpx.get(base + path)
    assert reply.status_code == 200
    policy = dict(part.split(" ", 1) for part in reply.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert {policy[f"{kind}-src"] for kind in ("script", "style", "img", "connect")} == {"'self'"}
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers["cache-control"] == "no-cache"
    etag = reply.headers["etag"]
    for held in (etag, f'"other", W/{etag}'):
        again = httpx.get(base + path, headers={"if-none-match": held})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    assert httpx.get(base + path, headers={"if-none-match": '"other"'}).status_code == 200
    assert httpx.head(base + path).status_code == 200
    assert httpx.post(base + path).status_code == 405


@pytest.mark.parametrize("path", ["/page", "/page/", "/page/js", "/page/../settings.py", "/page/%2e%2e/app.py", "/x"])
def test_nothing_else_is_served(base: str, path: str) -> None:
    assert httpx.get(base + path).status_code == 404


def test_no_file_names_another_origin() -> None:
    allowed = {"http://www.w3.org/2000/svg"}
    found = {
        url
        for path in ASSETS.rglob("*.*")
        if path.suffix in {".html", ".js", ".css", ".svg"}
        for url in re.findall(r"https?://[^\s\"'<>)]+", path.read_text())
    }
    assert found <= allowed


def test_the_page_has_nothing_inline() -> None:
    page = (ASSETS / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)


def test_it_works_below_the_prefix_of_a_proxy(browser: Browser, base: str) -> None:
    context = browser.new_context()
    with prefixing_proxy(base) as proxied:
        page = PreviewPage(context.new_page(), proxied).open()
        page.example(PUBLISHED)
        expect(page.page.locator(".diff")).to_be_visible()
        assert all(request.url.startswith(f"{proxied}/") for request in page.requests)
        assert page.problems == []
        context.close()


def test_without_javascript_it_says_what_to_do_instead(browser: Browser, base: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(base)
    expect(page.locator("body")).to_contain_text("curl -H 'Content-Type: application/yaml'")
    expect(page.locator("form")).to_be_hidden()
    context.close()
