"""How a manifest gets into the page, and that it goes nowhere but to the server's preview."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.previewpage import ASSETS, OFFLINE, PUBLISHED, SCRIPT, SGLANG, PreviewPage

POD = (ASSETS / "examples/published-64-gb.yaml").read_text()
_DROP = """([text, name, bytes]) => {
  const dropped = new DataTransfer();
  if (name) dropped.items.add(new File([bytes ? new Uint8Array(bytes) : text], name));
  else dropped.setData("text/plain", text);
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
}"""


def test_a_paste_into_the_empty_field_is_previewed(preview: PreviewPage) -> None:
    preview.assume(OFFLINE)
    preview.page.evaluate("(text) => navigator.clipboard.writeText(text)", POD)
    preview.manifest.focus()
    preview.page.keyboard.press("ControlOrMeta+V")
    expect(preview.status).to_have_text("1 pod: 1 tuned.")


def test_a_paste_into_a_text_is_editing(preview: PreviewPage) -> None:
    preview.manifest.fill("# mine\n")
    preview.page.evaluate("() => navigator.clipboard.writeText('kind: Pod\\n')")
    preview.manifest.press("ControlOrMeta+End")
    preview.page.keyboard.press("ControlOrMeta+V")
    expect(preview.manifest).to_have_value("# mine\nkind: Pod\n")
    assert [request.method for request in preview.requests if request.method == "POST"] == []


@pytest.mark.parametrize("name", ["deployment.yaml", None], ids=["a file", "text"])
def test_what_is_dropped_on_the_page_is_previewed(preview: PreviewPage, name: str | None) -> None:
    preview.page.evaluate(_DROP, [POD, name, None])
    expect(preview.manifest).to_have_value(POD)
    expect(preview.pods).to_have_count(1)


def test_a_dropped_file_that_is_no_utf_8_is_refused_by_name(preview: PreviewPage) -> None:
    preview.page.evaluate(_DROP, ["", "latin.yaml", [0x6B, 0xE4]])
    expect(preview.problem).to_have_text("latin.yaml is not UTF-8 text. Save it as UTF-8.")


def test_several_files_are_documents_of_one_manifest(preview: PreviewPage, tmp_path: Path) -> None:
    preview.assume(OFFLINE)
    paths = [tmp_path / "one.yaml", tmp_path / "two.yaml"]
    for path in paths:
        path.write_text(POD.replace("name: qwen", f"name: {path.stem}").rstrip())
    preview.page.locator("#file").set_input_files(paths)
    expect(preview.status).to_have_text("2 pods: 2 tuned.")


@pytest.mark.parametrize(
    ("example", "said"),
    [(PUBLISHED, "1 pod: 1 tuned."), (SGLANG, "2 pods: 2 tuned."), (SCRIPT, "1 pod: 1 left alone.")],
)
def test_an_example_is_one_click_away_and_says_what_it_assumes(preview: PreviewPage, example: str, said: str) -> None:
    preview.example(example)
    expect(preview.status).to_have_text(said)
    expect(preview.page.locator("#assumed")).to_contain_text("offline")


def test_instance_types_are_offered_from_the_catalogue_and_one_is_taken(preview: PreviewPage) -> None:
    field = preview.page.get_by_label("Instance type", exact=True)
    field.focus()
    offered = preview.page.locator("#instance-types option[value='p5.48xlarge']")
    expect(offered).to_have_attribute("label", "8 H100, 3200 Gbit/s")
    field.fill("p5en.48xlarge")
    preview.preview(POD.replace("nodeSelector:", "unknownField:"))
    expect(preview.page.locator(".facts")).to_contain_text("p5en.48xlarge")


def test_every_step_can_be_taken_by_keyboard(preview: PreviewPage) -> None:
    def tab_to(selector: str) -> None:
        for _ in range(40):
            preview.page.keyboard.press("Tab")
            if preview.page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
        pytest.fail(f"Tab does not reach {selector}")

    tab_to("#examples button")
    preview.page.keyboard.press("Enter")
    expect(preview.pods).to_have_count(1)
    preview.settle()
    tab_to("#manifest")
    preview.page.keyboard.press("ControlOrMeta+A")
    preview.page.keyboard.type("kind: Pod\n")
    preview.page.keyboard.press("ControlOrMeta+Enter")
    expect(preview.pods).to_have_attribute("data-status", "skipped")
    tab_to("#assume > summary")
    preview.page.keyboard.press("Enter")
    tab_to("#shards")
    tab_to(".copies button:nth-child(2)")
    preview.page.keyboard.press("Enter")
    expect(preview.status).to_contain_text("The patch is copied.")
    tab_to(".pod > summary")
    preview.page.keyboard.press("Enter")
    expect(preview.pods).not_to_have_attribute("open", "")


def test_the_manifest_goes_to_the_preview_alone_and_nothing_of_it_into_an_address(open_page: OpenPage) -> None:
    first = open_page()
    first.preview(POD)
    first.button("Copy link").click()
    expect(first.status).to_contain_text("The link is copied.")
    link = first.copied()
    second = open_page(link.removeprefix(f"{first.base}/"))
    expect(second.pods).to_have_count(1)
    second.settle()
    for page in (first, second):
        asked = [(request.method, request.url.removeprefix(page.base)) for request in page.requests]
        assert {path.partition("?")[0] for method, path in asked if method == "POST"} == {"/preview"}
        query = "?offline=true&shards=17&model-size=67Gi&"
        posts = {f"/preview{query}patched=false", f"/preview{query}output=yaml"} | {
            f"/preview?shards=17&model-size=67Gi&offline=true&{rest}" for rest in ("patched=false", "output=yaml")
        }
        assert {path for method, path in asked if method == "POST"} <= posts
        assert {path for method, path in asked if method == "GET" and not re.match(r"/(#|page/|$)", path)} == set()
        assert {request.url for request in page.requests if "referer" in request.all_headers()} == set()


def test_a_link_restores_input_and_options_and_previews_them(open_page: OpenPage) -> None:
    first = open_page()
    first.preview(POD, {**OFFLINE, "price-per-hour": "98.32"})
    first.button("Copy link").click()
    expect(first.status).to_have_text(
        "The link is copied. Mind that it holds the manifest as it is, with the values of HF_TOKEN."
    )
    second = open_page(first.copied().removeprefix(f"{first.base}/"))
    expect(second.manifest).to_have_value(POD)
    expect(second.page.locator("#assumed")).to_have_text("shards 17, model-size 67Gi, price-per-hour 98.32, offline")
    second.settle()
    assert second.seen() == first.seen()


def test_a_link_looks_nothing_up_before_somebody_says_so(open_page: OpenPage) -> None:
    first = open_page()
    first.preview(POD, {"instance-type": "p5.48xlarge", "shards": "17", "model-size": "67Gi"})
    first.button("Copy link").click()
    expect(first.status).to_contain_text("The link is copied.")
    second = open_page(first.copied().removeprefix(f"{first.base}/"))
    expect(second.manifest).to_have_value(POD)
    expect(second.status).to_contain_text("press Preview")
    second.settle()
    assert [request.url for request in second.requests if request.method == "POST"] == []
    second.page.get_by_role("button", name="Preview", exact=True).click()
    expect(second.pods).to_have_count(1)


def test_an_input_too_long_for_a_link_is_not_put_into_one(preview: PreviewPage) -> None:
    preview.page.evaluate(
        "() => { const field = document.getElementById('manifest');"
        "field.value = '# ' + Array.from({length: 30000}, () => Math.random().toString(36)).join(''); }"
    )
    preview.button("Copy link").click()
    expect(preview.status).to_contain_text("Too long for a link")
    assert "#" not in preview.page.url


def test_a_damaged_link_is_told(open_page: OpenPage) -> None:
    page = open_page("#z=AAAA")
    expect(page.problem).to_contain_text("The link is damaged")
    expect(page.manifest).to_have_value("")


def test_clearing_leaves_nothing_behind(preview: PreviewPage) -> None:
    preview.example(PUBLISHED)
    preview.button("Copy link").click()
    expect(preview.status).to_contain_text("copied")
    preview.button("Clear").click()
    expect(preview.manifest).to_have_value("")
    expect(preview.manifest).to_be_focused()
    expect(preview.pods).to_have_count(0)
    assert "#" not in preview.page.url
