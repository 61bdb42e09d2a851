"""`fastload certs show` of files, and what it says where there is nothing to show."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from webhook.cli import main
from webhook.server.certificates import Files, issue


def show(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["certs", "show", *arguments])


def test_it_shows_for_whom_how_long_and_whether_the_authority_fits(tmp_path: Path) -> None:
    files = issue(["fastload.fastload.svc", "127.0.0.1"], tmp_path, days=10)
    shown = show("--folder", str(tmp_path))
    assert shown.exit_code == 0
    assert "serving: for fastload.fastload.svc, 127.0.0.1, issued by" in shown.output
    assert ": 9 days left" in shown.output
    assert "trusted by ca.pem" in shown.output
    assert files.key.read_text() not in shown.output


def test_another_authority_is_told_and_ends_with_status_2(tmp_path: Path) -> None:
    issue(["localhost"], tmp_path)
    other = issue(["localhost"], tmp_path / "other")
    Files.within(tmp_path).authority.write_bytes(other.authority.read_bytes())
    shown = show("--folder", str(tmp_path))
    assert shown.exit_code == 2
    assert "NOT trusted by ca.pem: it trusts" in shown.output


@pytest.mark.parametrize("missing", ["ca.pem", "cert.pem", "key.pem"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    issue(["localhost"], tmp_path)
    (tmp_path / missing).unlink()
    shown = show("--folder", str(tmp_path))
    assert shown.exit_code == 2
    assert missing in shown.output


def test_a_key_of_another_certificate_is_told(tmp_path: Path) -> None:
    files, other = issue(["localhost"], tmp_path), issue(["localhost"], tmp_path / "other")
    files.key.write_bytes(other.key.read_bytes())
    assert "do not belong together" in show("--folder", str(tmp_path)).output


def test_without_a_cluster_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere/kubeconfig")
    shown = show()
    assert shown.exit_code == 2
    assert "kubeconfig" in shown.output


@pytest.mark.parametrize("flag", ["--context", "--kubeconfig"])
def test_the_flags_of_kubectl_choose_the_cluster(flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "kubeconfig"
    file.write_text('{"current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "gone"}}]}')
    monkeypatch.setenv("KUBECONFIG", str(file) if flag == "--context" else "/nowhere/kubeconfig")
    shown = show(flag, "b" if flag == "--context" else str(file))
    assert shown.exit_code == 2
    assert ("has no context 'b'; it has a" if flag == "--context" else "context 'a' leads to cluster") in shown.output


def test_a_cluster_is_not_chosen_for_a_folder(tmp_path: Path) -> None:
    issue(["localhost"], tmp_path)
    shown = show("--folder", str(tmp_path), "--context", "prod")
    assert shown.exit_code == 2
    assert "--context chooses a cluster, and --folder asks none" in shown.output
