"""How the labs end, with labs that take no time."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.cache import exclusive

_ROOT = Path(__file__).parents[2]
_LAB = """
import sys
from pathlib import Path
from benchmarks.lab import __main__ as lab

def streamer(*_, **__):
    {does}
    return ()

lab._KEPT = Path({kept!r})
lab.run_streamer = streamer
lab.compile_lab.run = lambda *_, **__: lab.compile_lab.Outcome((), (), ())
sys.argv = ["lab", "--quick"]
sys.exit(lab.main())
"""


def started(kept: Path, does: str = "pass") -> "subprocess.Popen[str]":
    program = [sys.executable, "-c", _LAB.format(does=does, kept=str(kept))]
    return subprocess.Popen(program, cwd=_ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


ENDS = [
    ("a claim that fails", "pass", 1, ""),
    ("what cannot be had", "raise RuntimeError('no compiler here')", 2, "no compiler here"),
    ("a folder that is not ours", "raise PermissionError(13, 'Permission denied', 'build')", 2, "denied: 'build'"),
    ("Ctrl-C", "raise KeyboardInterrupt", 130, "stopped"),
]


@pytest.mark.parametrize(("does", "status", "said"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS])
def test_an_end_is_a_sentence_and_a_status(tmp_path: Path, does: str, status: int, said: str) -> None:
    lab = started(tmp_path / "lab", does)
    _, errors = lab.communicate()

    assert lab.returncode == status
    assert said in errors
    assert "Traceback" not in errors


def test_a_reader_that_has_gone_changes_no_status(tmp_path: Path) -> None:
    lab = started(tmp_path / "lab")
    assert lab.stdout
    assert lab.stderr
    lab.stdout.close()
    errors = lab.stderr.read()
    lab.stderr.close()

    assert lab.wait() == 1
    assert "Error" not in errors


def test_a_second_lab_waits_for_the_first(tmp_path: Path) -> None:
    with exclusive(tmp_path / "lab", print):
        lab = started(tmp_path / "lab")
        assert lab.stderr
        assert "waiting for another run" in lab.stderr.readline()
    lab.communicate()

    assert lab.returncode == 1
