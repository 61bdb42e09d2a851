import random
from pathlib import Path

import pytest

from benchmarks.lab.compile.files import Damage, Kind, changed, damage, damaged, kind_of, snapshot

KINDS = [
    ("torchinductor/fxgraph/kb/fkb7/gx3v", Kind.GRAPH),
    ("torchinductor/fxgraph/kb/fkb7/.12.34.tmp", Kind.GRAPH),
    ("torchinductor/aotautograd/aikq/vmho", Kind.AUTOGRAD),
    ("torchinductor/nb/cnb7.py", Kind.WRAPPER),
    ("torchinductor/2m/c2mi.main.cpp", Kind.SOURCE),
    ("torchinductor/2m/c2mi.main.so", Kind.LIBRARY),
    ("torchinductor/3b/c3bw.cpp", Kind.SOURCE),
    ("torchinductor/3b/c3bw.so", Kind.PROBE),
    ("torchinductor/locks/c3bw.lock", Kind.LOCK),
    ("triton/readme", Kind.OTHER),
]


@pytest.mark.parametrize(("name", "kind"), KINDS, ids=[name for name, _ in KINDS])
def test_kinds(name: str, kind: Kind) -> None:
    assert kind_of(name) is kind


def test_what_is_new_gone_or_rewritten_has_changed(tmp_path: Path) -> None:
    for name in ("same", "gone", "rewritten"):
        (tmp_path / name).write_text("a")
    before = snapshot(tmp_path)
    (tmp_path / "gone").unlink()
    (tmp_path / "rewritten").write_text("ab")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "new").touch()
    assert changed(before, snapshot(tmp_path)) == ["folder/new", "gone", "rewritten"]


def test_a_link_is_a_file_of_its_own_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/")
    assert list(snapshot(tmp_path)) == ["link"]


@pytest.mark.parametrize("how", Damage)
@pytest.mark.parametrize("content", [b"x", bytes(range(200))], ids=["one byte", "many"])
def test_a_damaged_file_is_another_one(how: Damage, content: bytes) -> None:
    assert damaged(content, how, random.Random(1)) != content


def test_damage_is_the_same_for_a_seed() -> None:
    content = bytes(1000)
    assert damaged(content, Damage.GARBLED, random.Random(1)) == damaged(content, Damage.GARBLED, random.Random(1))


@pytest.mark.parametrize("how", Damage)
def test_an_empty_file_stays_empty(how: Damage) -> None:
    assert damaged(b"", how, random.Random(1)) == b""


def test_only_the_kinds_asked_for_are_damaged(tmp_path: Path) -> None:
    for name in ("one.py", "two.py", "three.lock"):
        (tmp_path / name).write_text("whole")
    assert damage(tmp_path, [Kind.WRAPPER], Damage.EMPTY, seed=1) == 2
    assert (tmp_path / "one.py").read_text() + (tmp_path / "two.py").read_text() == ""
    assert (tmp_path / "three.lock").read_text() == "whole"
