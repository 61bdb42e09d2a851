"""The pod at the head of the README is what fastload makes of it."""

from pathlib import Path
from typing import Any

import msgspec
import yaml
from click.testing import CliRunner

from webhook.cli.root import main

README = Path(__file__).parents[2] / "README.md"
# Left out or shortened on the page, for the reader's sake.
ABBREVIATED = {"fastload.dev/plan"}


def shown() -> tuple[dict[str, Any], dict[str, Any]]:
    """The pod before and after, from the lines of the diff."""
    block = README.read_text().split("```diff\n")[1].split("```")[0].splitlines()
    before = "\n".join(line[1:] for line in block if not line.startswith("+"))
    return yaml.safe_load(before), yaml.safe_load("\n".join(line[1:] for line in block))


def made_of(pod: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    manifest = tmp_path / "pod.yaml"
    manifest.write_text(yaml.safe_dump(pod))
    flags = ["-o", "json", "--offline", "--shards", "17", "--model-size", "67Gi"]
    answer = CliRunner().invoke(main, ["preview", "-f", str(manifest), *flags])
    assert answer.exit_code == 0, answer.output
    patched: dict[str, Any] = msgspec.json.decode(answer.stdout)["pods"][0]["patched"]
    return patched


def test_the_readmes_pod_becomes_what_the_readme_shows(tmp_path: Path) -> None:
    before, after = shown()
    patched = made_of(before, tmp_path)
    notes, shown_notes = patched["metadata"]["annotations"], after["metadata"]["annotations"]
    assert {key: notes[key] for key in notes if key not in ABBREVIATED} == {
        key: shown_notes[key] for key in shown_notes if key not in ABBREVIATED
    }
    engine, shown_engine = patched["spec"]["containers"][0], after["spec"]["containers"][0]
    # Eight more names of caches follow the five entries that are shown.
    assert engine["env"][:5] == shown_engine["env"]
    assert len(engine["env"]) - len(shown_engine["env"]) == 8
    assert engine["volumeMounts"] == shown_engine["volumeMounts"]
    (volume,), (shown_volume,) = patched["spec"]["volumes"], after["spec"]["volumes"]
    root, _, _ = volume["hostPath"]["path"].rsplit("/", 2)
    volume["hostPath"]["path"] = f"{root}/NAMESPACE/KEY"
    assert volume == shown_volume
