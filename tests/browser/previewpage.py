"""The preview page as its tests drive it: what a user does, and what a user then sees."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import ConsoleMessage, Locator, Page, Request, expect

ASSETS = Path(__file__).parents[2] / "webhook/page/assets"
PUBLISHED, SGLANG, SCRIPT = "64 GB on vLLM, as published", "SGLang over two nodes", "A script left alone"
OFFLINE = {"offline": "true", "shards": "17", "model-size": "67Gi"}
# What the browser itself reports of an answer that is a refusal.
_REFUSALS = tuple(f"the server responded with a status of {status}" for status in (400, 413, 422, 503, 504))

_READ = """() => {
  const text = (root, selector) => [...root.querySelectorAll(selector)].map((each) => each.textContent);
  return [...document.querySelectorAll(".pod")].map((pod) => {
    const settings = [...pod.querySelectorAll(".settings:not(.changes *) tbody")].flatMap((group) => {
      const why = group.querySelector(".why").textContent;
      return [...group.rows].map((row) => [row.cells[0].textContent, row.cells[1].textContent, why]);
    });
    const pairs = (kind) => [...pod.querySelectorAll(`.${kind} > div`)].map((each) => text(each, "dt, dd"));
    const lanes = [...pod.querySelectorAll(".chart-drawing g.lane")];
    return {
      status: pod.dataset.status, settings, reasons: pairs("reasons"), advice: pairs("advice"),
      layers: lanes.map((lane) => {
        const { scenario, layer, basis } = lane.dataset;
        return [scenario, layer, basis, lane.lastChild.textContent];
      }),
      changes: text(pod, ".changes").join(""),
      added: text(pod, ".diff :is(.add, .change) > .code.after .text"),
      removed: text(pod, ".diff :is(.remove, .change) > .code.before .text"),
    };
  });
}"""


class PreviewPage:
    """One page in a browser, with all that it asked of the server and all that went wrong in it."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.requests: list[Request] = []
        self.problems: list[str] = []
        page.on("request", self._sent)
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.problems.append(str(error)))

    def _sent(self, request: Request) -> None:
        self.requests.append(request)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not any(said in message.text for said in _REFUSALS):
            self.problems.append(message.text)

    def open(self, fragment: str = "") -> "PreviewPage":
        self.page.goto(f"{self.base}/{fragment}")
        expect(self.manifest).to_be_visible()
        return self

    @property
    def manifest(self) -> Locator:
        return self.page.get_by_label("Manifest", exact=True)

    @property
    def problem(self) -> Locator:
        return self.page.locator("#problem[role=alert]")

    @property
    def status(self) -> Locator:
        return self.page.locator("#status[role=status]")

    @property
    def pods(self) -> Locator:
        return self.page.locator(".pod")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def assume(self, options: Mapping[str, str]) -> None:
        """Fills the form's fields, by the names of the query parameters."""
        self.page.locator("#assume").evaluate("(fold) => { fold.open = true; }")
        for name, value in options.items():
            field = self.page.locator(f"#{name}")
            if name == "offline":
                field.set_checked(value == "true")
            else:
                field.fill(value)

    def preview(self, manifest: str, options: Mapping[str, str] = OFFLINE) -> None:
        """Puts the manifest in, and has it previewed."""
        self.assume(options)
        self.manifest.fill(manifest)
        self.button("Preview").click()
        self.settle()

    def example(self, title: str) -> None:
        self.button(title).click()
        expect(self.pods.first).to_be_visible()
        self.settle()

    def settle(self) -> None:
        """Waits until the page has all that it waits for."""
        expect(self.page.locator("[aria-busy]")).to_have_count(0)

    def seen(self) -> list[dict[str, Any]]:
        """What the page shows of each pod, every fold of it open."""
        for at in range(self.pods.count()):
            pod = self.pods.nth(at)
            if pod.get_attribute("open") is None:
                pod.locator("summary").first.click()
        self.settle()
        expect(self.page.locator(".chart-drawing:empty")).to_have_count(0)
        self.page.evaluate("() => document.querySelectorAll('.diff .more').forEach((more) => more.click())")
        seen: list[dict[str, Any]] = self.page.evaluate(_READ)
        return seen

    def copied(self) -> str:
        """What the clipboard holds."""
        text: str = self.page.evaluate("() => navigator.clipboard.readText()")
        return text

    def module(self, name: str, expression: str, given: object = None) -> Any:  # noqa: ANN401 (any JSON)
        """Evaluates an expression of a module's exports, `m`, and of what is given, in the page."""
        source = f"async (given) => {{ const m = await import('{self.base}/page/js/{name}.js'); return {expression}; }}"
        return self.page.evaluate(source, given)


def asked(base: str, manifest: bytes, options: Mapping[str, str] = OFFLINE) -> list[dict[str, Any]]:
    """What `POST /preview` says of the same pods."""
    headers = {"content-type": "application/yaml"}
    reply = httpx.post(f"{base}/preview", params=dict(options), content=manifest, headers=headers, timeout=30)
    assert reply.status_code == 200, reply.text
    pods: list[dict[str, Any]] = json.loads(reply.content)["pods"]
    return pods


def written(span: dict[str, float] | None) -> str:
    """A range of seconds as the chart writes it."""
    if span is None:
        return "? not known"
    low, high = span["low"], span["high"]
    digits = 1 if max(abs(low), abs(high)) < 10 else 0
    ends = [f"{_rounded(value, digits):g}" for value in (low, high)]
    return f"{ends[0]} s" if ends[0] == ends[1] else f"{ends[0]}–{ends[1]} s"  # noqa: RUF001 (as ranges are written)


def _rounded(value: float, digits: int) -> float:
    """Rounds halves up, as JavaScript's toFixed does with what it is given exactly."""
    return float(f"{value + 1e-9:.{digits}f}")
