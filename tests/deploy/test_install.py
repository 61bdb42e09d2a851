"""`deploy/install.sh` against a kubectl that keeps what it is told, and gives back what the script asks for."""

import base64
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509

from webhook.server.certificates import Files, check, issue

DEPLOY = Path(__file__).parents[2] / "deploy"
IMAGE = "123456789012.dkr.ecr.us-west-2.amazonaws.com/fastload:0.1.0"
NAME = "fastload.fastload.svc"
KUBECTL = """#!/usr/bin/env bash
printf '%s\\n' "${*//$'\\n'/ }" >>"$RECORD/calls"
case "$*" in
  "apply -f -") cat >>"$RECORD/applied"; printf -- '---\\n' >>"$RECORD/applied" ;;
  "get secret"*) cat "$RECORD/cert.pem" 2>/dev/null || true ;;
  "get mutatingwebhookconfiguration"*) cat "$RECORD/ca.pem" 2>/dev/null || true ;;
  "create secret"*) [[ $* =~ --cert\\ ([^\\ ]+) ]]; cat "${BASH_REMATCH[1]}" >"$RECORD/cert.pem"; echo 'kind: Secret' ;;
esac
"""


class Cluster:
    """A folder that stands for a cluster: the certificate and the authorities installed, and every call."""

    def __init__(self, folder: Path) -> None:
        self.files = Files.within(folder)
        self._folder = folder
        (folder / "kubectl").write_text(KUBECTL)
        (folder / "kubectl").chmod(0o755)

    def install(self, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Runs the script; what it applied and called is of this run alone."""
        for name in ("calls", "applied"):
            (self._folder / name).write_text("")
        path = os.pathsep.join([str(self._folder), str(Path(sys.executable).parent), os.environ["PATH"]])
        ended = subprocess.run(
            [DEPLOY / "install.sh"],
            env={**os.environ, "PATH": path, "RECORD": str(self._folder), **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        bundles = {
            base64.b64decode(webhook["clientConfig"]["caBundle"])
            for configuration in self.applied("MutatingWebhookConfiguration")
            for webhook in configuration["webhooks"]
        }
        for bundle in bundles:
            self.files.authority.write_bytes(bundle)
        assert len(bundles) <= 1
        return ended

    def applied(self, kind: str) -> list[dict[str, Any]]:
        return [each for each in self._documents() if each["kind"] == kind]

    @property
    def kinds(self) -> list[str]:
        return [each["kind"] for each in self._documents()]

    @property
    def calls(self) -> list[str]:
        return (self._folder / "calls").read_text().splitlines()

    @property
    def template(self) -> dict[str, Any]:
        (deployment,) = self.applied("Deployment")
        template: dict[str, Any] = deployment["spec"]["template"]
        return template

    def _documents(self) -> list[dict[str, Any]]:
        return [each for each in yaml.safe_load_all((self._folder / "applied").read_text()) if each]

    def authorities(self) -> list[x509.Certificate]:
        return x509.load_pem_x509_certificates(self.files.authority.read_bytes())


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path)


def test_it_fills_in_the_image_and_the_authority_and_makes_the_secret(cluster: Cluster) -> None:
    ended = cluster.install(IMAGE=IMAGE)
    assert ended.returncode == 0, ended.stderr
    assert cluster.template["spec"]["containers"][0]["image"] == IMAGE
    assert len(cluster.authorities()) == 1
    check(cluster.files, [NAME], 364)


def test_the_secret_is_there_before_the_pods_and_nothing_rolls_them_twice(cluster: Cluster) -> None:
    cluster.install(IMAGE=IMAGE)
    assert cluster.kinds[:2] == ["Namespace", "Secret"]
    assert cluster.kinds.count("Deployment") == 1
    assert [call for call in cluster.calls if call.startswith(("rollout restart", "patch"))] == []
    assert cluster.calls[-1].startswith("rollout status")


def test_installing_again_keeps_a_certificate_that_is_good(cluster: Cluster) -> None:
    cluster.install(IMAGE=IMAGE)
    first, authorities = cluster.template, cluster.authorities()
    cluster.install(IMAGE=IMAGE)
    assert cluster.template == first
    assert cluster.authorities() == authorities
    assert "Secret" not in cluster.kinds


@pytest.mark.parametrize(
    ("days", "environment"), [pytest.param(365, {"RENEW": "1"}, id="as told"), pytest.param(29, {}, id="near its end")]
)
def test_a_renewed_certificate_is_trusted_before_it_is_served_and_beside_the_one_before(
    cluster: Cluster, days: int, environment: dict[str, str]
) -> None:
    cluster.install(IMAGE=IMAGE)
    issue([NAME], cluster.files.authority.parent, days)
    (before,), old = cluster.authorities(), cluster.files.certificate.read_bytes()

    cluster.install(IMAGE=IMAGE, **environment)

    assert cluster.authorities()[1:] == [before]
    assert cluster.files.certificate.read_bytes() != old
    check(cluster.files, [NAME], 364)
    (patch,) = (number for number, call in enumerate(cluster.calls) if call.startswith("patch mutatingwebhook"))
    (secret,) = (number for number, call in enumerate(cluster.calls) if call.startswith("create secret"))
    assert patch < secret


def test_authorities_do_not_pile_up(cluster: Cluster) -> None:
    for _ in range(4):
        cluster.install(IMAGE=IMAGE, RENEW="1")
    assert len(cluster.authorities()) == 2


def test_a_certificate_that_the_api_server_does_not_trust_is_replaced(cluster: Cluster) -> None:
    cluster.install(IMAGE=IMAGE)
    cluster.files.authority.unlink()
    cluster.install(IMAGE=IMAGE)
    check(cluster.files, [NAME], 364)


def test_it_asks_for_the_image_before_it_does_anything(cluster: Cluster) -> None:
    ended = cluster.install()
    assert ended.returncode != 0
    assert "IMAGE" in ended.stderr
    assert cluster.calls == []


def test_no_key_is_left_behind(cluster: Cluster, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    cluster.install(IMAGE=IMAGE, TMPDIR=str(temporary))
    assert list(temporary.iterdir()) == []
