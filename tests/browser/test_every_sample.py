"""Every sample under tests/cases shows in the page what the command and the server say of it."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.browser.previewpage import OFFLINE, PreviewPage, asked, written
from webhook.cli import main

CASES = Path(__file__).parents[1] / "cases"
FILES = sorted(CASES.rglob("*.yaml"))


def commanded(path: Path) -> list[dict[str, Any]]:
    """What `fastload preview` says; in a thread, as it has an event loop of its own."""
    flags = ["--offline", "--shards", OFFLINE["shards"], "--model-size", OFFLINE["model-size"], "-o", "json"]
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(CliRunner().invoke, main, ["preview", "-f", str(path), *flags]).result()
    assert result.exit_code == 0, result.output
    pods: list[dict[str, Any]] = json.loads(result.stdout)["pods"]
    return pods


def shown(pod: dict[str, Any]) -> dict[str, Any]:
    """What a page has to show of a pod of the contract."""
    estimate = pod["estimate"] or {"scenarios": []}
    layers = [(each["name"], layer) for each in estimate["scenarios"] for layer in each["layers"]]
    return {
        "status": pod["status"],
        "settings": [[each["name"], each["value"], each["reason"]] for each in pod["settings"]],
        "reasons": [[each["code"], each["text"]] for each in pod["reasons"]],
        "advice": [[each["code"], each["text"]] for each in pod["advice"]],
        "layers": sorted([name, layer["name"], layer["basis"], written(layer["seconds"])] for name, layer in layers),
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_a_sample_shows_what_the_command_and_the_server_say(lasting: PreviewPage, base: str, path: Path) -> None:
    answered = asked(base, path.read_bytes())
    named = [{**pod, "source": {**pod["source"], "file": "-"}} for pod in commanded(path)]
    assert named == answered
    lasting.preview(path.read_text())
    seen = lasting.seen()
    assert [{key: pod[key] for key in shown(answered[0])} | {"layers": sorted(pod["layers"])} for pod in seen] == [
        shown(pod) for pod in answered
    ]
    for pod, page in zip(answered, seen, strict=True):
        assert all(setting["name"] in page["changes"] for setting in pod["settings"])
        assert bool(page["added"]) <= bool(pod["patch"])
    assert lasting.problems == []
