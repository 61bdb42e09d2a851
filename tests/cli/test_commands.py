"""The command line as a whole: help, version, certificates, and what a command does not load."""

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from webhook import __version__
from webhook.cli import main
from webhook.server.declared import declared

DEMO_POD = Path(__file__).parents[2] / "demo/pods/qwen3.6-35b-a3b.yaml"


def test_the_version_is_the_packages() -> None:
    assert CliRunner().invoke(main, ["--version"]).output == f"fastload, version {__version__}\n"


@pytest.mark.parametrize("command", ["certs", "doctor", "health", "preview", "serve"])
def test_every_command_is_listed_and_has_help(command: str) -> None:
    assert command in CliRunner().invoke(main, ["--help"]).output
    assert CliRunner().invoke(main, [command, "--help"]).exit_code == 0


def test_no_line_of_the_root_commands_help_is_cut() -> None:
    for arguments in (["--help"], ["certs", "--help"]):
        assert "..." not in CliRunner().invoke(main, arguments, terminal_width=80).output.replace("[ARGS]...", "")


def test_the_previews_help_has_every_option_once_in_a_section() -> None:
    listed = (
        CliRunner().invoke(main, ["preview", "--help"], terminal_width=100).output.partition("Input and output:")[2]
    )
    command = main.get_command(click.Context(main), "preview")
    assert command is not None
    for option in command.params:
        (flag, *_) = [each for each in option.opts if each.startswith("--")]
        assert len(re.findall(rf"^  (-\w, )?{flag}(?= )", listed, re.MULTILINE)) == 1
    assert listed.partition("Other:\n")[2] == "  -h, --help  Show this message and exit.\n"


def test_the_plugin_calls_itself_by_kubectls_name() -> None:
    program = "import sys; sys.argv[1:] = ['preview', '-x']; from webhook.cli.plugin import plugin; plugin()"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "Usage: kubectl fastload preview [OPTIONS]" in ended.stderr


def test_a_command_that_does_not_exist_is_refused() -> None:
    assert CliRunner().invoke(main, ["tune"]).exit_code == 2


def test_the_servers_help_has_every_setting_with_its_variable_and_default() -> None:
    text = " ".join(CliRunner().invoke(main, ["serve", "--help"], terminal_width=400).output.split())
    for setting in declared():
        assert f"{setting.flag} VALUE" in text
        assert f"[{setting.variable}; default: {setting.shown_default or 'none'}]" in text


def test_a_bad_setting_ends_the_server_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTLOAD_LOG_LEVEL", "loud")
    result = CliRunner().invoke(main, ["serve"])
    assert result.exit_code == 2
    assert "FASTLOAD_LOG_LEVEL is 'loud'; it takes one of debug, info, warning, error" in result.stderr


def test_certificates_are_issued_for_the_names_asked(tmp_path: Path) -> None:
    arguments = ["certs", "dev", "--out", str(tmp_path), "--name", "a.example", "--name", "10.0.0.1"]
    result = CliRunner().invoke(main, arguments)
    assert result.output.splitlines() == [str(tmp_path / name) for name in ("ca.pem", "cert.pem", "key.pem")]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(main, ["certs", "dev", "--out", str(tmp_path / "file" / "below")])
    assert result.exit_code == 2
    assert str(tmp_path / "file" / "below") in result.stderr


@pytest.mark.parametrize(("name", "status"), [("a.example", 0), ("b.example", 2)])
def test_a_certificate_is_checked_for_a_name(tmp_path: Path, name: str, status: int) -> None:
    CliRunner().invoke(main, ["certs", "dev", "--out", str(tmp_path), "--name", "a.example"])
    result = CliRunner().invoke(main, ["certs", "check", "--folder", str(tmp_path), "--name", name])
    assert result.exit_code == status
    assert name in result.output


def test_an_offline_preview_loads_no_client_and_no_server() -> None:
    program = (
        "import sys; from webhook.cli import main;"
        f"main(['preview', '-f', {str(DEMO_POD)!r}, '--offline'], standalone_mode=False);"
        "print({'boto3', 'botocore', 'kubernetes', 'fastapi', 'uvicorn', 'cryptography'} & set(sys.modules))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.endswith("set()\n")
