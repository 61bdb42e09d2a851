"""The page in its shapes: nothing that axe-core finds, nothing wider than the screen, and pictures of it to look at."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.previewpage import ASSETS, PUBLISHED, SCRIPT, SGLANG, PreviewPage

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "build/screenshots"
DOCS = ROOT / "docs"
UNSIZED = (ASSETS / "examples/published-64-gb.yaml").read_text()
BROKEN = "kind: Pod\nmetadata:\n\tname: a\n"


def _many(page: PreviewPage) -> None:
    page.preview("---\n".join(f"kind: Pod\nmetadata: {{name: pod-{at}}}\n" for at in range(40)))


STATES: dict[str, Callable[[PreviewPage], None]] = {
    "empty": lambda _page: None,
    "published": lambda page: page.example(PUBLISHED),
    "sglang": lambda page: page.example(SGLANG),
    "skipped": lambda page: page.example(SCRIPT),
    "unsized": lambda page: page.preview(UNSIZED, {"offline": "true"}),
    "error": lambda page: page.preview(BROKEN),
    "query": lambda page: page.preview("kind: Pod", {"shards": "17"}),
    "many": _many,
}
# Width and height, and what the browser is told that its user prefers.
SHAPES: dict[str, tuple[int, int, dict[str, Any]]] = {
    "light": (1280, 900, {"color_scheme": "light"}),
    "dark": (1280, 900, {"color_scheme": "dark"}),
    "narrow": (320, 640, {"color_scheme": "light"}),
    "narrow-dark": (320, 640, {"color_scheme": "dark"}),
    "4k": (3840, 2160, {"color_scheme": "light"}),
    "forced": (1280, 900, {"color_scheme": "light", "forced_colors": "active"}),
}
# The others differ from these in no colour and no element.
AUDITED = {"light", "dark", "narrow", "forced"}


@pytest.mark.parametrize("state", STATES)
def test_it_is_accessible_and_fits(preview: PreviewPage, state: str) -> None:
    STATES[state](preview)
    preview.settle()
    SHOTS.mkdir(parents=True, exist_ok=True)
    for shape, (width, height, preferred) in SHAPES.items():
        preview.page.set_viewport_size({"width": width, "height": height})
        preview.page.emulate_media(reduced_motion="reduce", **preferred)
        preview.page.screenshot(path=SHOTS / f"{state}-{shape}.png")
        assert preview.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), shape
        if shape not in AUDITED:
            continue
        found = Axe().run(preview.page)
        assert found.violations_count == 0, f"{shape}: {found.generate_report()}"


def test_it_prints_its_results_and_not_its_form(open_page: OpenPage) -> None:
    page = open_page()
    page.example(PUBLISHED)
    page.page.emulate_media(media="print")
    expect(page.page.locator("form")).to_be_hidden()
    expect(page.page.locator(".diff")).to_be_visible()


def test_the_docs_show_it(open_page: OpenPage, request: pytest.FixtureRequest) -> None:
    page = open_page(viewport={"width": 1500, "height": 1150}, color_scheme="light")
    page.example(PUBLISHED)
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.page.mouse.move(0, 0)
    page.page.screenshot(path=SHOTS / "page.png")
    page.page.locator(".estimate").screenshot(path=SHOTS / "page-chart.png")
    for name in ("page.png", "page-chart.png"):
        if request.config.getoption("--update-screenshots"):
            shutil.copyfile(SHOTS / name, DOCS / name)
        assert (DOCS / name).read_bytes().startswith(b"\x89PNG")
        assert (DOCS / name).stat().st_size < 400_000
