import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.lab.compile.container import View, why_none


@pytest.fixture
def view(tmp_path: Path) -> View:
    why = why_none(tmp_path / "probe")
    if why is not None:
        pytest.skip(why)
    for folder in ("root", "volume", "image"):
        (tmp_path / folder).mkdir()
    made = View(tmp_path / "root", {"/volume": tmp_path / "volume"}, (tmp_path / "image",))
    made.prepare()
    return made


def in_view(
    view: View, script: str, uid: int = 0, capabilities: Sequence[str] | None = None
) -> "subprocess.CompletedProcess[str]":
    command = view.command(["sh", "-c", script], uid=uid, capabilities=capabilities)
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_what_is_written_lands_in_the_root_and_on_volumes(view: View, tmp_path: Path) -> None:
    assert in_view(view, "echo a > /here && echo b > /volume/there").returncode == 0
    assert (tmp_path / "root" / "here").read_text() == "a\n"
    assert (tmp_path / "volume" / "there").read_text() == "b\n"


def test_the_machine_is_out_of_reach(view: View, tmp_path: Path) -> None:
    done = in_view(view, f"touch /usr/forbidden {tmp_path}/image/forbidden; ls {tmp_path}")
    assert done.stderr.count("Read-only file system") == 2
    assert done.stdout.split() == ["image"]
    assert not Path("/usr/forbidden").exists()


def test_a_read_only_root_leaves_the_volumes_writable(view: View, tmp_path: Path) -> None:
    locked = View(view.root, view.writable, view.read_only, read_only_root=True)
    done = in_view(locked, "touch /volume/there; touch /here")
    assert "Read-only file system" in done.stderr
    assert (tmp_path / "volume" / "there").exists()


def test_the_user_is_the_one_asked_for(view: View) -> None:
    assert in_view(view, "id -u; id -g", uid=2000).stdout.split() == ["2000", "2000"]


def test_root_has_no_more_rights_than_named(view: View, tmp_path: Path) -> None:
    script = "chown 2000 /volume && mknod /volume/device c 1 3"
    done = in_view(view, script, capabilities=("CHOWN", "FOWNER", "DAC_OVERRIDE"))
    assert "not permitted" in done.stderr
    assert (tmp_path / "volume").stat().st_uid == 2000


def test_the_first_process_takes_all_others_with_it(view: View) -> None:
    script = "(setsid sh -c 'while :; do :; done' &) ; echo ready; read line"
    started = subprocess.Popen(
        view.command(["sh", "-c", script]), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout
    assert started.stdout.readline() == "ready\n"
    started.kill()
    # The pipe ends only once every process that could write to it is gone.
    assert started.communicate(timeout=30)[0] == ""
