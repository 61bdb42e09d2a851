"""`deploy/install.sh` against a kubectl that only takes down what it is told."""

import base64
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.x509.verification import PolicyBuilder, Store

DEPLOY = Path(__file__).parents[2] / "deploy"
IMAGE = "123456789012.dkr.ecr.us-west-2.amazonaws.com/fastload:0.1.0"
KUBECTL = """#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$RECORD/calls"
case "$*" in
  "apply -f -") cat >>"$RECORD/applied"; printf -- '---\\n' >>"$RECORD/applied" ;;
  "get deployment"*) printf '%s' "${INSTALLED:-}" ;;
  "create secret"*) [[ $* =~ --cert\\ ([^\\ ]+) ]]; cat "${BASH_REMATCH[1]}" >"$RECORD/cert.pem"; echo 'kind: Secret' ;;
esac
"""


class Installed:
    """What the script told kubectl."""

    def __init__(self, folder: Path, **environment: str) -> None:
        (folder / "kubectl").write_text(KUBECTL)
        (folder / "kubectl").chmod(0o755)
        path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])
        self.ended = subprocess.run(
            [DEPLOY / "install.sh"],
            env={**os.environ, "PATH": path, "RECORD": str(folder), **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.calls = (folder / "calls").read_text().splitlines() if (folder / "calls").exists() else []
        self.applied = (folder / "applied").read_text() if (folder / "applied").exists() else ""

    def manifests(self, kind: str) -> list[dict[str, Any]]:
        return [each for each in yaml.safe_load_all(self.applied) if each and each["kind"] == kind]


def test_it_fills_in_the_image_and_the_authority_and_makes_the_secret(tmp_path: Path) -> None:
    installed = Installed(tmp_path, IMAGE=IMAGE)
    assert installed.ended.returncode == 0, installed.ended.stderr
    (deployment,) = installed.manifests("Deployment")
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == IMAGE
    (configuration,) = installed.manifests("MutatingWebhookConfiguration")
    bundles = {webhook["clientConfig"]["caBundle"] for webhook in configuration["webhooks"]}
    authority = x509.load_pem_x509_certificate(base64.b64decode(bundles.pop()))
    assert not bundles
    verifier = PolicyBuilder().store(Store([authority])).build_server_verifier(x509.DNSName("fastload.fastload.svc"))
    assert verifier.verify(x509.load_pem_x509_certificate((tmp_path / "cert.pem").read_bytes()), [])
    assert installed.manifests("Secret")


@pytest.mark.parametrize(("installed", "restarts"), [("", 0), ("deployment.apps/fastload", 1)])
def test_pods_that_run_already_are_restarted_for_the_new_certificate(
    tmp_path: Path, installed: str, restarts: int
) -> None:
    calls = Installed(tmp_path, IMAGE=IMAGE, INSTALLED=installed).calls
    assert len([call for call in calls if call.startswith("rollout restart")]) == restarts
    assert calls[-1].startswith("rollout status")


def test_it_asks_for_the_image_before_it_does_anything(tmp_path: Path) -> None:
    installed = Installed(tmp_path)
    assert installed.ended.returncode != 0
    assert "IMAGE" in installed.ended.stderr
    assert installed.calls == []


def test_no_key_is_left_behind(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    Installed(tmp_path, IMAGE=IMAGE, TMPDIR=str(temporary))
    assert list(temporary.iterdir()) == []
