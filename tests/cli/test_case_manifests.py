"""Every sample as the manifest that a preview makes of it: previews and reviews leave it as it is from then on."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.reviews import World1, endpoint, patch_of, response, review
from tests.test_goldens import pipeline
from webhook.cli import main
from webhook.patch.operation import Operation
from webhook.pod.template import find_templates
from webhook.preview.documents import read_documents

CASES = Path(__file__).parent.parent / "cases"
FILES = sorted(CASES.rglob("*.yaml"))
DECLARED = {"shards": 17, "model-size": "67Gi"}
FLAGS = ["--offline", "--shards", "17", "--model-size", "67Gi"]


def tuned(manifest: str) -> str:
    result = CliRunner().invoke(main, ["preview", "-f", "-", "-o", "yaml", *FLAGS], input=manifest)
    assert result.exit_code == 0, result.output
    return result.stdout


def reviewed(pod: dict[str, Any], namespace: str) -> tuple[Operation, ...]:
    """The patch of a review of the pod."""
    sent = review({**pod, "apiVersion": "v1", "kind": "Pod"}, namespace=namespace)
    return patch_of(response(endpoint(World1(), tuner=pipeline(DECLARED)), sent))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_a_tuned_manifest_is_left_alone_from_then_on(path: Path) -> None:
    manifest = tuned(path.read_text())
    assert tuned(manifest) == manifest
    given = path.read_text().splitlines()
    assert set(manifest.splitlines()) >= {line for line in given if line.startswith("#")}
    (document,) = read_documents(path.name, manifest.encode())
    for template in find_templates(document.value):
        marked = "fastload.dev/status" in ((template.template.get("metadata") or {}).get("annotations") or {})
        if marked and not template.ambient:
            assert reviewed(template.template, template.namespace or "default") == ()
