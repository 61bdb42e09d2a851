import subprocess
from pathlib import Path

import pytest

from benchmarks.lab.compile.compiler import compilations, recorder

STARTS = [
    ("a question", ["--version"], 0),
    ("another", ["-v"], 0),
    ("a library", ["a.cpp -shared -o a.so"], 1),
    ("a source with a version", ["a.cpp --version"], 1),
    ("nothing", [""], 0),
    ("several", ["--version", "a.cpp", "b.cpp"], 2),
]


@pytest.mark.parametrize(("lines", "count"), [row[1:] for row in STARTS], ids=[row[0] for row in STARTS])
def test_questions_are_no_compilations(lines: list[str], count: int) -> None:
    assert compilations(lines) == count


def test_the_recorder_writes_each_start_down_and_passes_it_on(tmp_path: Path) -> None:
    compiler, script, log = tmp_path / "the compiler", tmp_path / "g++", tmp_path / "log file"
    compiler.write_text('#!/bin/sh\nprintf "[%s]" "$@"\n')
    script.write_text(recorder(str(compiler), str(log)))
    for path in (compiler, script):
        path.chmod(0o755)
    done = [
        subprocess.run([script, *arguments], capture_output=True, text=True, check=True).stdout
        for arguments in (["a b.cpp", "$HOME"], ["--version"])
    ]
    assert done == ["[a b.cpp][$HOME]", "[--version]"]
    assert log.read_text().splitlines() == ["a b.cpp $HOME", "--version"]
