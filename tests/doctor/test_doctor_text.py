"""The report at a terminal."""

import re

import pytest

from tests.doctor.patient import FORBIDDEN, healthy, mutating
from webhook.cli.doctor_text import as_text
from webhook.doctor.facts import Facts, Probe
from webhook.doctor.report import Report

_STYLE = re.compile("\x1b\\[[0-9;]*m")


def shown(facts: Facts, width: int) -> list[str]:
    return _STYLE.sub("", as_text(Report.of(facts, context="prod", server="https://api"), width)).splitlines()


def test_each_finding_has_a_mark_a_check_a_sentence_and_what_to_do() -> None:
    lines = shown(healthy(slices=(), mutating=mutating(failurePolicy="Fail"), pods=FORBIDDEN), 200)

    assert lines[:3] == ["fastload in namespace fastload, context prod", "https://api", ""]
    assert "ok       kubernetes   v1.33.4-eks-1234567" in lines
    at = next(number for number, line in enumerate(lines) if line.startswith("problem  service      the Service"))
    assert lines[at + 1].startswith("                      -> see which pods it selects")
    assert lines[-1] == "1 problem, 1 warning, 1 not looked at"


def test_where_all_is_well_it_says_so() -> None:
    assert shown(healthy(), 100)[-1] == "All is well."


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_lines_are_no_longer_than_the_terminal_where_words_allow(width: int) -> None:
    for line in shown(healthy(slices=(), mutating=(), certificate=None), width):
        assert len(line) <= width or len(line.split()[-1]) > width - 30


def test_what_the_cluster_says_cannot_steer_the_terminal() -> None:
    text = as_text(
        Report.of(healthy(probe=Probe("default", refusal="\x1b]0;mine\x07")), context="a\x1b[2J", server="s"), 100
    )
    assert "\x1b]" not in text
    assert "\x1b[2J" not in text
