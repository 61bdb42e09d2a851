"""`fastload preview -o text`: what a person reads, on terminals of any width and in a pipe."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.cli.manifests import POD
from webhook.cli import main
from webhook.cli.layout import fold, printable

DECLARED = ["--offline", "--shards", "17", "--model-size", "67Gi"]
STYLES = re.compile(r"\x1b\[[0-9;]*m")
BYSTANDER = "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: nginx}]}\n"
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: qwen}\n"


def text(manifest: str = POD, *arguments: str) -> str:
    """The preview as a pipe gets it."""
    result = CliRunner().invoke(main, ["preview", "-f", "-", *(arguments or DECLARED)], input=manifest)
    assert result.exit_code == 0, result.output
    return result.stdout


def on_a_terminal(columns: int, folder: Path, **environment: str) -> str:
    """The preview as a terminal of this width gets it."""
    manifest = folder / "pod.yaml"
    manifest.write_text(POD)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [sys.executable, "-c", "from webhook.cli import main; main()", "preview", "-f", str(manifest), *DECLARED]
    with subprocess.Popen(command, stdout=theirs, env={"PATH": os.defpath, "TERM": "xterm", **environment}) as process:
        os.close(theirs)
        shown = bytearray()
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # how a terminal ends on Linux
            pass
        finally:
            os.close(ours)
    assert process.returncode == 0
    return shown.decode().replace("\r\n", "\n")


def test_it_tells_what_was_found_and_decided() -> None:
    lines = text().splitlines()
    assert lines[0] == "Pod qwen  injected"
    assert "  engine    vllm in container vllm, TP 2" in lines
    assert "  model     s3://models/qwen (17 shards, 67 GiB, the largest 3.94 GiB)" in lines
    assert "  parts     streamer tuned; retry tuned; compile cache tuned" in lines


def test_settings_are_a_table_and_those_of_one_reason_stand_together() -> None:
    lines = text().splitlines()
    first = lines.index("    RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS  3000")
    assert lines[first + 1] == "    RUNAI_STREAMER_S3_LOW_SPEED_LIMIT     1048576"
    assert lines[first + 2].startswith("      the published values: ")


def test_a_wide_terminal_has_the_reason_beside_the_settings(tmp_path: Path) -> None:
    lines = STYLES.sub("", on_a_terminal(200, tmp_path)).splitlines()
    (row,) = (line for line in lines if "RUNAI_STREAMER_CONCURRENCY" in line)
    assert re.fullmatch(r"    RUNAI_STREAMER_CONCURRENCY +17 +a rank reads 17 shard files, a worker for each", row)


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal_but_for_a_word_that_cannot_be_broken(columns: int, tmp_path: Path) -> None:
    lines = STYLES.sub("", on_a_terminal(columns, tmp_path)).splitlines()
    assert len(lines) > 20
    too_wide = [line for line in lines if len(line) > columns]
    assert [line for line in too_wide if len(line.split()) > 1] == []


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_gets_colours_unless_it_says_no(
    environment: dict[str, str], tmp_path: Path, *, coloured: bool
) -> None:
    assert ("\x1b[" in on_a_terminal(80, tmp_path, **environment)) is coloured


def test_a_pipe_gets_no_colours_unless_they_are_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in text()
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in text()


def test_a_skipped_pod_says_why_and_has_no_table() -> None:
    lines = text(BYSTANDER).splitlines()
    assert lines[0] == "Pod web  skipped"
    assert "  not opted in: this is what would happen if it were" in lines
    assert any(line.startswith("    no-engine  no container starts vLLM or SGLang in a way") for line in lines)
    assert "  settings" not in lines


def test_several_pods_end_with_a_summary_and_one_alone_does_not() -> None:
    unsized = text(f"{POD}---\n{BYSTANDER}", "--offline").splitlines()
    assert unsized[-1] == "2 pods: 0 injected, 1 partial, 1 skipped; 1 not opted in"
    assert "pods:" not in text()


def test_published_estimated_and_unknown_figures_are_told_apart() -> None:
    rows = {re.split(r"  +", line.strip())[0]: re.split(r"  +", line.strip())[1:] for line in text().splitlines()}
    assert rows["image pull"] == ["*30 to 240", "*30 to 240", "0"]
    assert rows["torch.compile"] == ["~34 to 53", "~34 to 53", "*4 to 6"]
    assert all(cell.startswith("~") for name in ("weights", "model start", "saved") for cell in rows[name])
    assert rows["(weights + torch.compile)"] == []
    assert "At 13.75 USD/h" in text()
    unsized = text(POD, "--offline")
    assert re.search(r"weights +\? +\? +\?\n", unsized)
    assert text().count("~ estimated") == text(f"{POD}---\n{POD}").count("~ estimated") == 1


def test_it_says_when_there_is_no_pod() -> None:
    assert text(SERVICE) == "No pod and no pod template in the input.\n"


def test_a_manifest_cannot_write_to_the_terminal() -> None:
    shown = text(BYSTANDER.replace("{name: web}", '{name: "web\\e[2J\\u202e"}'))
    assert shown.startswith("Pod web\\x1b[2J\\u202e  skipped\n")


@pytest.mark.parametrize("text", ["plain", "ünï-cödé 模型", "a…b"])
def test_what_a_terminal_only_shows_stays(text: str) -> None:
    assert printable(text) == text


def test_a_long_word_stays_whole() -> None:
    assert fold("in /mnt/a-long/path/of-the-node", 12) == ("in", "/mnt/a-long/path/of-the-node")
