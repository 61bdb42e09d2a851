from pathlib import Path

import pytest

from benchmarks.lab.records import Records, key_of


def test_what_is_kept_is_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "build" / "records.jsonl"
    Records(path).add("one", "a run", {"seconds": 1.5})

    assert Records(path).get("one") == {"seconds": 1.5}
    assert Records(path).get("another") is None


def test_a_line_that_a_killed_run_was_writing_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    Records(path).add("one", "a run", {"seconds": 1})
    with path.open("a") as file:
        file.write('{"key": "two", "rec')

    after = Records(path)
    after.add("three", "a run", {"seconds": 3})

    assert Records(path).get("two") is None
    assert [Records(path).get(key) for key in ("one", "three")] == [{"seconds": 1}, {"seconds": 3}]


UNREADABLE = [
    ("a line in a line", b'{"key": "two", "rec{"key": "two", "record": {}}\n'),
    ("zeros", bytes(40) + b"\n"),
    ("no text", b'{"key": "\xff"}\n'),
    ("nothing", b"\n"),
    ("no record", b'{"key": "two"}\n'),
    ("no object", b"null\n"),
    ("a record of another kind", b'{"key": "two", "record": 1}\n'),
]


@pytest.mark.parametrize("line", [row[1] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE])
def test_a_line_that_cannot_be_read_costs_no_more_than_its_run(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "records.jsonl"
    Records(path).add("one", "a run", {"seconds": 1})
    path.write_bytes(line + path.read_bytes())

    assert Records(path).get("two") is None
    assert Records(path).get("one") == {"seconds": 1}
    assert path.read_bytes().count(b"\n") == 1


def test_a_key_tells_runs_apart() -> None:
    assert key_of("a", {"b": 1}) == key_of("a", {"b": 1})
    assert key_of("a", {"b": 1}) != key_of("a", {"b": 2})
