from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest

from benchmarks.lab.page import write_part
from benchmarks.lab.streamer.case import Shows
from benchmarks.lab.streamer.chart import chart
from benchmarks.lab.streamer.judge import judged
from benchmarks.lab.streamer.measured import Measured
from benchmarks.lab.streamer.page import tables
from tests.lab.made import CASE, measured, trial

MEASURED = (
    measured(trial(20), trial(10, in_flight=300), *Shows, version="0.17.1"),
    measured(trial(fault="killed"), trial(12), *Shows, version="0.16.1"),
)


def test_a_part_of_the_page_is_written_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- a lab -->\nold\n<!-- end of a lab -->\nafter\n")

    write_part("a lab", r"new \1", page)

    assert page.read_text() == "before\n<!-- a lab -->\n\nnew \\1\n\n<!-- end of a lab -->\nafter\n"


def test_a_page_without_marks_is_left_as_it_is(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n")

    with pytest.raises(ValueError, match="no part between <!-- a lab -->"):
        write_part("a lab", "new", page)

    assert page.read_text() == "before\n"


def test_the_tables_have_every_case_and_version() -> None:
    text = tables(MEASURED, judged(MEASURED))

    assert "| **a case**: a model of 17 files | 20.0 → 10.0 | killed → 12.0 |" in text
    assert "176 (176) → 300 (176)" in text


def test_a_version_that_a_case_says_nothing_of_has_a_dash() -> None:
    other = Measured(msgspec.structs.replace(CASE, name="another"), "0.17.1", skipped="no cgroup")
    assert "| **another**: a model of 17 files | not run | - |" in tables((*MEASURED, other), ())


def test_a_case_that_could_not_be_run_is_in_the_tables() -> None:
    assert "| not run |" in tables((Measured(CASE, "0.17.1", skipped="no cgroup"),), ())


def test_the_chart_has_a_dot_for_each_version_and_says_what_untouched_did() -> None:
    root = ET.fromstring(chart(MEASURED))
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    dots = [each for each in root.iter() if each.tag.endswith("circle") and each.get("r") == "4.5"]

    assert {"title", "circle", "text"} <= names
    assert len(dots) == 2
