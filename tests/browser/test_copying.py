"""What the copy buttons put on the clipboard is what the server would answer, secrets and all."""

import json
import subprocess

import pytest
import yaml
from playwright.sync_api import expect

from tests.browser.previewpage import ASSETS, OFFLINE, PreviewPage, asked

POD = (ASSETS / "examples/published-64-gb.yaml").read_text()
AWKWARD = POD.replace("hf_not_a_real_token", '"it\'s $HOME `id` \\\\ !! END_OF_MANIFEST"') + "# END_OF_MANIFEST\n"


def copied(preview: PreviewPage, name: str) -> str:
    preview.button(name).click()
    expect(preview.status).to_contain_text("is copied.")
    return preview.copied()


def test_the_yaml_keeps_the_users_text_and_has_the_settings(preview: PreviewPage) -> None:
    preview.preview(POD)
    text = copied(preview, "Copy YAML")
    lines = iter(text.splitlines())
    assert all(line in lines for line in POD.splitlines())
    env = yaml.safe_load(text)["spec"]["template"]["spec"]["containers"][0]["env"]
    assert {"name": "HF_TOKEN", "value": "hf_not_a_real_token"} in env
    assert {"name": "RUNAI_STREAMER_CONCURRENCY", "value": "17"} in env


def test_the_patch_is_that_of_the_contract_a_line_a_document(preview: PreviewPage, base: str) -> None:
    manifest = f"{POD}---\n{POD}"
    preview.preview(manifest)
    patches = [json.loads(line) for line in copied(preview, "Copy patch").splitlines()]
    assert patches == [pod["patch"] for pod in asked(base, manifest.encode())]


@pytest.mark.parametrize("manifest", [POD, AWKWARD, POD.rstrip(), f"{POD}...\nEND_OF_MANIFEST\n"])
def test_the_curl_command_sends_the_very_manifest(preview: PreviewPage, base: str, manifest: str) -> None:
    command = preview.module("curl", "m.curlCommand(given[0], given[1])", [f"{base}/preview?a=1&b='2'", manifest])
    shown = subprocess.run(
        ["bash", "-c", f"curl() {{ printf '%s\\n' \"$@\"; cat; }}\n{command}"],
        capture_output=True,
        check=True,
        text=True,
    )
    *words, url = ["-sS", "-H", "Content-Type: application/yaml", "--data-binary", "@-", f"{base}/preview?a=1&b='2'"]
    body = manifest if manifest.endswith("\n") else f"{manifest}\n"
    assert shown.stdout == "\n".join([*words, url, body])


def test_the_curl_command_gives_the_pages_own_answer(preview: PreviewPage, base: str) -> None:
    preview.preview(POD)
    command = copied(preview, "Copy curl")
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert json.loads(done.stdout)["pods"] == asked(base, POD.encode(), OFFLINE)


def test_copying_works_where_the_page_has_no_clipboard_of_its_own(preview: PreviewPage) -> None:
    preview.preview(POD)
    preview.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('insecure')); }")
    text = copied(preview, "Copy patch")
    assert json.loads(text)[0]["op"] == "add"
