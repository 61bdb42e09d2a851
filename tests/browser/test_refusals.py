"""What is wrong with a manifest is shown where it is wrong."""

import re

import httpx
import pytest
from playwright.sync_api import Route, expect

from tests.browser.previewpage import ASSETS, OFFLINE, PreviewPage

POD = (ASSETS / "examples/published-64-gb.yaml").read_text()
BAD_ENV = """\
apiVersion: v1
kind: Service
metadata: {name: a}
---
# the second document
apiVersion: v1
kind: List
items:
- kind: Pod
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: b}
  spec:
    template:
      spec:
        containers: [{name: a, env: 7}]
"""
TABS = "".join(f"# {line}\n" for line in range(200)) + "kind: Pod\nmetadata:\n\tname: a\n"
JSON = '{\n "kind": "Pod",\n "metadata": {\n  "name": 7 7\n }\n}\n'


@pytest.mark.parametrize(
    ("manifest", "line"),
    [(TABS, 203), ("a: [1,\nb: }\n", 2), ("- a\n", 1), (BAD_ENV, 16), ("kind: Pod\n---\n---\n- a\n", 3)],
    ids=["a tab", "a bracket", "a list", "in a template", "a document"],
)
def test_a_problem_is_marked_in_its_line_and_told(preview: PreviewPage, manifest: str, line: int) -> None:
    preview.preview(manifest)
    expect(preview.problem).to_have_text(_starting(f"Line {line}: "))
    expect(preview.page.locator(".gutter .marked")).to_have_text(f"✕ {line}")
    expect(preview.page.locator("#band")).to_be_visible()
    expect(preview.manifest).to_be_focused()
    expect(preview.manifest).to_have_attribute("aria-invalid", "true")
    start = preview.manifest.evaluate("(area) => area.value.slice(0, area.selectionStart).split('\\n').length")
    assert start == line
    assert preview.page.locator(".gutter .marked").bounding_box() == pytest.approx(
        {**_box(preview, ".gutter .marked"), "y": _box(preview, "#band")["y"]}, abs=3
    )


def test_the_line_is_that_of_the_server(preview: PreviewPage, base: str) -> None:
    reply = httpx.post(f"{base}/preview", content=TABS, headers={"content-type": "application/yaml"})
    preview.preview(TABS)
    expect(preview.problem).to_have_text(f"Line {reply.json()['line']}: {reply.json()['detail']}")


def test_the_mark_goes_as_the_text_is_changed(preview: PreviewPage) -> None:
    preview.preview(TABS)
    preview.manifest.press("End")
    preview.manifest.press("a")
    expect(preview.problem).to_be_empty()
    expect(preview.page.locator(".marked")).to_have_count(0)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"shards": "17"}, "shards"),
        ({"shards": "17", "model-size": "large"}, "model-size"),
        ({"namespace-labels": "inject"}, "namespace-labels"),
    ],
)
def test_an_assumption_that_is_not_understood_is_shown_at_its_field(
    preview: PreviewPage, options: dict[str, str], field: str
) -> None:
    preview.preview(POD, options)
    expect(preview.problem).to_contain_text(field)
    expect(preview.page.locator(f"#{field}")).to_be_focused()
    expect(preview.page.locator(f"#{field}")).to_have_attribute("aria-invalid", "true")


def test_nothing_to_preview_is_said_without_asking_the_server(preview: PreviewPage) -> None:
    preview.preview("  \n")
    expect(preview.problem).to_contain_text("There is no manifest yet")
    assert [request for request in preview.requests if request.method == "POST"] == []


def test_a_manifest_without_pods_is_told(preview: PreviewPage) -> None:
    preview.preview("kind: Service\n")
    expect(preview.page.locator("#output")).to_contain_text("No pod and no pod template in the manifest.")


def test_a_busy_server_is_asked_again(preview: PreviewPage) -> None:
    refused: list[Route] = []

    def busy(route: Route) -> None:
        if len(refused) < 1:
            refused.append(route)
            problem = '{"status": 503, "detail": "2 previews are under way"}'
            route.fulfill(
                status=503, headers={"retry-after": "1"}, content_type="application/problem+json", body=problem
            )
        else:
            route.continue_()

    preview.page.route("**/preview?*", busy)
    preview.preview(POD)
    expect(preview.status).to_have_text("1 pod: 1 tuned.")
    assert refused


def test_a_manifest_that_cannot_be_written_shows_its_patch_instead(preview: PreviewPage) -> None:
    problem = '{"status": 504, "detail": "the preview took longer than 20 s"}'
    preview.page.route("**/preview?*output=yaml*", lambda route: route.fulfill(status=504, body=problem))
    preview.preview(POD)
    expect(preview.page.locator(".changes")).to_contain_text("the preview took longer than 20 s")
    expect(preview.page.locator(".changes")).to_contain_text("/spec/template/spec/containers/0/env/-")


def test_a_server_that_is_gone_is_told(preview: PreviewPage) -> None:
    preview.page.route("**/preview?*", lambda route: route.abort())
    preview.preview(POD)
    expect(preview.problem).to_contain_text("fastload did not answer")
    preview.problems.clear()  # the browser's own word for it
    preview.page.unroute("**/preview?*")
    preview.preview(POD, OFFLINE)
    expect(preview.pods).to_have_count(1)


def _starting(text: str) -> "re.Pattern[str]":
    return re.compile(f"^{re.escape(text)}")


def _box(preview: PreviewPage, selector: str) -> dict[str, float]:
    box = preview.page.locator(selector).bounding_box()
    assert box is not None
    return {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}
