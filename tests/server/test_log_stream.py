"""A log that cannot be written costs its lines, and nothing else."""

import os
from pathlib import Path

from webhook.server.log_stream import LogStream


def test_a_line_is_written_at_once(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as file:
        stream = LogStream(file.fileno())
        stream.write("one ünï\n")
        stream.write("\ud800\n")
        assert (tmp_path / "log").read_bytes() == "one ünï\n".encode() + b"\\ud800\n"
        assert stream.lost == 0


def test_a_full_disk_loses_lines() -> None:
    with Path("/dev/full").open("wb") as full:
        stream = LogStream(full.fileno())
        assert stream.write("lost\n") == 5
        assert stream.lost == 1


def test_a_reader_that_stalls_loses_lines_and_holds_nobody_up() -> None:
    reading, writing = os.pipe()
    stream = LogStream(writing)
    while not stream.lost:
        stream.write("x" * 999 + "\n")
    full = os.read(reading, 10_000_000)
    stream.write("again\n")
    assert (full + os.read(reading, 100)).splitlines()[-1] == b"again"
    os.close(reading)
    stream.write("nobody reads\n")
    assert stream.lost > 1
    os.close(writing)


def test_of_many_lines_those_are_counted_as_lost_that_were_not_taken_whole() -> None:
    reading, writing = os.pipe()
    stream = LogStream(writing)
    size = 999
    lines = (b"x" * size + b"\n") * 1_000
    stream.write_lines(lines)
    taken = os.read(reading, len(lines))
    assert 0 < len(taken) < len(lines)
    assert stream.lost == 1_000 - taken.count(b"\n")
    stream.write("whole\n")
    assert os.read(reading, 100).splitlines()[-1] == b"whole"
    os.close(reading)
    os.close(writing)


def test_a_line_that_was_cut_off_does_not_run_into_the_next() -> None:
    reading, writing = os.pipe()
    stream = LogStream(writing)
    stream.write("x" * 1_000_000 + "\n")
    assert stream.lost == 1
    os.read(reading, 1_000_000)
    stream.write("whole\n")
    assert os.read(reading, 100) == b"\nwhole\n"
    os.close(reading)
    os.close(writing)
