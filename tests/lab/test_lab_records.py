from pathlib import Path

from benchmarks.lab.records import Records, key_of


def test_what_is_kept_is_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "build" / "records.jsonl"
    Records(path).add("one", {"seconds": 1.5})

    assert Records(path).get("one") == {"seconds": 1.5}
    assert Records(path).get("another") is None


def test_a_line_that_a_killed_run_was_writing_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    Records(path).add("one", {"seconds": 1})
    with path.open("a") as file:
        file.write('{"key": "two", "rec')

    after = Records(path)
    after.add("three", {"seconds": 3})

    assert Records(path).get("two") is None
    assert [Records(path).get(key) for key in ("one", "three")] == [{"seconds": 1}, {"seconds": 3}]


def test_a_key_tells_runs_apart() -> None:
    assert key_of("a", {"b": 1}) == key_of("a", {"b": 1})
    assert key_of("a", {"b": 1}) != key_of("a", {"b": 2})
