"""Every sample under tests/cases comes out of the command as its own `# expect:` lines say."""

import json
from pathlib import Path
from typing import Any

import jsonpatch
import pytest
import yaml
from click.testing import CliRunner

from webhook.cli import main
from webhook.preview.documents import read_documents

CASES = Path(__file__).parent.parent / "cases"
FILES = sorted(CASES.rglob("*.yaml"))
# The samples' names of the contract's fields.
FIELDS = {
    "engine": "engine",
    "container": "container",
    "model": "model",
    "load_format": "load_format",
    "tp": "tensor_parallel_size",
    "pp": "pipeline_parallel_size",
    "dp": "data_parallel_size",
    "streamer": "streamer",
    "cache": "cache",
}


def expectations(path: Path) -> dict[str, Any]:
    """The `# expect:` lines of a sample's head, without the prose of `reason`."""
    head = [line.removeprefix("#") for line in path.read_text().splitlines() if line.startswith("#")]
    listed = head[head.index(" expect:") + 1 :] if " expect:" in head else []
    parsed = yaml.safe_load("\n".join(line for line in listed if not line.startswith("   reason:"))) or {}
    assert isinstance(parsed, dict)
    return {**parsed, **({"cache": "keep"} if parsed.get("cache") == "keep-user" else {})}


def pods(path: Path) -> list[dict[str, Any]]:
    declared = ["--offline", "--shards", "17", "--model-size", "67Gi"]
    result = CliRunner().invoke(main, ["preview", "-f", str(path), *declared, "-o", "json"])
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)["pods"]
    return found


def by_role(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """A set's pods by the role in the template's name (`leaderTemplate`: leader)."""
    return {pod["source"]["path"].rpartition("/")[2].removesuffix("Template"): pod for pod in found}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_a_sample_comes_out_as_it_says(path: Path) -> None:
    expected, found = expectations(path), pods(path)
    for role, wanted in expected.get("templates", {}).items():
        assert_as(wanted, by_role(found)[role])
    assert_as(expected, found[0])


def assert_as(expected: dict[str, Any], pod: dict[str, Any]) -> None:
    said = {ours: pod[field] for ours, field in FIELDS.items()}
    assert said | {key: expected[key] for key in expected if key in FIELDS} == said
    set_by_us = {setting["name"] for setting in pod["settings"]}
    assert not set_by_us & set(expected.get("keep_env", ()))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_a_samples_patch_applies_and_a_second_pass_adds_nothing(path: Path, tmp_path: Path) -> None:
    (document,) = read_documents(str(path), path.read_bytes())
    patched = document.value
    for pod in pods(path):
        assert jsonpatch.apply_patch(document.value, pod["patch"]) == pod["patched"]
        patched = jsonpatch.apply_patch(patched, pod["patch"])
    again = tmp_path / "patched.json"
    again.write_text(json.dumps(patched))
    assert [pod["patch"] for pod in pods(again)] == [[] for _ in pods(path)]
