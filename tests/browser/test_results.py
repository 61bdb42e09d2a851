"""What the page shows of pods: masked, in parts, and many at a time."""

import json

import httpx
import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import OpenPage
from tests.browser.previewpage import ASSETS, OFFLINE, PUBLISHED, SCRIPT, SGLANG, PreviewPage, asked

POD = (ASSETS / "examples/published-64-gb.yaml").read_text()
SKIPPED = (ASSETS / "examples/script.yaml").read_text()
KEY = "sk-live-do-not-show"


def test_the_diff_adds_lines_and_takes_none(preview: PreviewPage) -> None:
    preview.example(PUBLISHED)
    (pod,) = preview.seen()
    assert pod["removed"] == []
    assert any(line.strip() == "- name: RUNAI_STREAMER_CONCURRENCY" for line in pod["added"])
    expect(preview.page.locator(".diff .add .sign").first).to_be_visible()


def test_a_fold_of_unchanged_lines_opens(preview: PreviewPage) -> None:
    preview.example(PUBLISHED)
    rows = preview.page.locator(".diff tr")
    before = rows.count()
    preview.page.get_by_role("button", name="unchanged lines").first.press("Enter")
    assert rows.count() > before


def test_secret_values_are_nowhere_in_the_results(preview: PreviewPage) -> None:
    manifest = POD.replace("hf_not_a_real_token", KEY).replace("[vllm, serve,", f"[env, MY_API_KEY={KEY}, vllm, serve,")
    preview.preview(manifest)
    preview.seen()
    folds = preview.page.locator(".unfold, .more")
    while folds.count():
        folds.first.click()
    assert KEY not in (preview.page.locator("#results").text_content() or "")
    assert "••••••" in (preview.page.locator(".diff").text_content() or "")


def test_markup_in_a_manifest_stays_text(preview: PreviewPage) -> None:
    markup = "<img src=x onerror=alert(1)>"
    preview.preview(POD.replace("name: qwen", f'name: "{markup}"'))
    expect(preview.page.get_by_role("heading", name=markup)).to_be_visible()
    expect(preview.page.locator("#results img")).to_have_count(0)


@pytest.mark.parametrize("example", [PUBLISHED, SGLANG])
def test_the_chart_and_its_table_tell_the_contracts_figures(preview: PreviewPage, example: str) -> None:
    preview.example(example)
    seen = preview.seen()[0]
    tables = preview.page.locator(".layers").first.locator("tbody tr")
    rows = [row.locator("td").all_text_contents() for row in tables.all()]
    names = ["today", "first-pod", "next-pods"]
    charted = [[text for scenario, _, _, text in seen["layers"] if scenario == name] for name in names]
    cells = [[cell.removeprefix("~ ") for cell in row] for row in rows[:-1]]
    assert [[column.removeprefix("? ") for column in each] for each in zip(*charted, strict=True)] == cells
    estimated = [basis == "estimated" for scenario, _, basis, _ in seen["layers"] if scenario == "today"]
    assert [row[0].startswith("~") for row in rows[:-1]] == estimated
    striped = preview.page.locator(".chart-drawing").first.locator(".lane.today .stripes")
    expect(striped).to_have_count(sum(estimated))


def test_the_savings_are_the_contracts(preview: PreviewPage, base: str) -> None:
    options = {**OFFLINE, "price-per-hour": "98.32"}
    preview.preview(POD, options)
    (pod,) = asked(base, POD.encode(), options)
    saved, money = pod["estimate"]["saved"]["next_pods"], pod["estimate"]["money"]["next_pods"]
    tile = preview.page.locator(".tiles > div").last
    expect(tile).to_contain_text(f"{saved['low']:.0f}–{saved['high']:.0f} s")  # noqa: RUF001 (as ranges are written)
    expect(tile).to_contain_text(f"${money['low']:.2f}–{money['high']:.2f} a start")  # noqa: RUF001


def test_a_skip_is_told_before_the_diff_in_its_word_and_a_sentence(preview: PreviewPage) -> None:
    preview.example(SCRIPT)
    expect(preview.page.locator(".pod h4").first).to_have_text("Why it is left alone")
    expect(preview.page.locator(".reasons dt")).to_have_text("undecidable-script")
    expect(preview.page.locator(".reasons dd")).to_contain_text("cannot be told before it runs")


def test_a_pod_that_did_not_opt_in_is_told_apart(preview: PreviewPage) -> None:
    preview.preview(POD.replace("fastload.dev/inject", "example.com/other"))
    expect(preview.status).to_have_text("1 pod: 1 tuned, 1 not opted in.")
    expect(preview.page.locator(".pod")).to_contain_text("Not opted in: this is what would happen if it were.")


def test_each_pod_of_one_document_shows_its_own_part(preview: PreviewPage) -> None:
    preview.example(SGLANG)
    preview.seen()
    leader, worker = (pod.locator(".diff") for pod in preview.pods.all())
    expect(leader).to_contain_text("leaderTemplate")
    expect(leader).not_to_contain_text("workerTemplate")
    expect(worker).to_contain_text("workerTemplate")


def test_json_is_compared_line_by_line_though_it_has_but_one(preview: PreviewPage) -> None:
    container = {"name": "vllm", "image": "vllm/vllm-openai:v0.19.0", "args": ["--model", "s3://models/a"]}
    metadata = {"name": "a", "annotations": {"fastload.dev/inject": "true"}}
    preview.preview(json.dumps({"kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}))
    (pod,) = preview.seen()
    assert '"fastload.dev/inject": "true",' in [line.strip() for line in pod["added"]]
    assert len(pod["removed"]) <= 3


def test_hundreds_of_pods_are_listed_at_once_and_made_when_opened(preview: PreviewPage) -> None:
    documents = [
        SKIPPED.replace("by-rank", f"script-{at}") if at % 7 == 3 else POD.replace("name: qwen", f"name: qwen-{at}")
        for at in range(500)
    ]
    preview.assume(OFFLINE)
    preview.page.evaluate("(text) => { document.getElementById('manifest').value = text; }", "---\n".join(documents))
    preview.button("Preview").click()
    expect(preview.pods).to_have_count(500, timeout=30_000)
    expect(preview.status).to_have_text("500 pods: 429 tuned, 71 left alone.")
    expect(preview.page.locator(".pod-body")).to_have_count(0)
    preview.page.get_by_label("Filter").fill("qwen-499")
    expect(preview.page.locator("output")).to_have_text("1 shown")
    shown = preview.page.locator(".pod:visible")
    shown.locator("summary").click()
    expect(shown.locator(".diff")).to_contain_text("RUNAI_STREAMER_CONCURRENCY", timeout=30_000)
    expect(shown.get_by_role("heading", name="qwen-499")).to_be_visible()
    preview.page.get_by_label("Filter").fill("")
    preview.button("left alone").click()
    expect(preview.page.locator("output")).to_have_text("71 shown")


def test_a_newer_preview_takes_the_place_of_the_one_under_way(open_page: OpenPage) -> None:
    page = open_page()
    page.assume(OFFLINE)
    held: list[Route] = []
    page.page.route("**/preview?*", lambda route: held.append(route) if not held else route.continue_())
    page.manifest.fill(POD)
    page.button("Preview").click()
    page.manifest.fill(SKIPPED)
    page.button("Preview").click()
    expect(page.status).to_have_text("1 pod: 1 left alone.")
    held[0].abort()
    page.settle()
    expect(page.status).to_have_text("1 pod: 1 left alone.")


UNSIZED = {"offline": "true"}


def test_settings_and_reasons_stand_above_the_diff(preview: PreviewPage) -> None:
    preview.example(PUBLISHED)
    parts = preview.page.locator(".pod h4").all_text_contents()
    assert parts[:2] == ["Settings", "Why"]
    assert parts[-2:] == ["What changes", "Where a cold start takes its time"]


def test_the_plan_is_a_short_line_until_somebody_asks(preview: PreviewPage) -> None:
    preview.example(PUBLISHED)
    line = preview.page.locator(".diff .code.after", has_text="fastload.dev/plan")
    expect(line).not_to_contain_text("concurrency-shards")
    more = line.get_by_role("button", name="more")
    assert len(line.locator(".text").text_content() or "") <= 40
    more.click()
    assert len(line.locator(".text").text_content() or "") > 100


def test_an_estimate_without_the_models_size_leads_to_where_it_is_given(preview: PreviewPage) -> None:
    preview.preview(POD, UNSIZED)
    expect(preview.page.locator(".tiles")).to_have_count(0)
    expect(preview.page.locator(".note")).to_have_count(0)
    preview.page.locator("#assume").evaluate("(fold) => { fold.open = false; }")
    preview.button("Give shards and size under Assume").click()
    expect(preview.page.get_by_label("Shard files")).to_be_focused()


def test_a_part_is_called_tuned_only_where_something_is_set(preview: PreviewPage) -> None:
    preview.preview(POD, UNSIZED)
    expect(preview.page.locator(".verdict dd")).to_have_text(["not known yet", "tuned", "tuned"])
    preview.preview(POD)
    expect(preview.page.locator(".verdict dd")).to_have_text(["tuned", "tuned", "tuned"])


def test_a_manifest_that_is_tuned_already_is_called_so(preview: PreviewPage, base: str) -> None:
    headers = {"content-type": "application/yaml"}
    tuned = httpx.post(f"{base}/preview", params={**OFFLINE, "output": "yaml"}, content=POD, headers=headers).text
    preview.preview(tuned)
    expect(preview.status).to_have_text("1 pod: 1 already tuned: nothing to add.")
    expect(preview.page.locator(".badge")).to_have_text("already tuned: nothing to add")
    expect(preview.page.locator(".verdict dd")).to_have_text(["already tuned"] * 3)


def test_annotations_on_the_workload_itself_are_told_of(preview: PreviewPage) -> None:
    manifest = POD.replace("metadata:", 'metadata:\n  annotations: {fastload.dev/inject: "true"}', 1)
    preview.preview(manifest.replace('fastload.dev/inject: "true"\n', 'example.com/other: "x"\n'))
    expect(preview.page.locator(".reasons dt").first).to_have_text("misplaced-annotation")
