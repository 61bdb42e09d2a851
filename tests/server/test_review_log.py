"""Lines of reviews look like all others, whatever form and level the log has."""

import json
import subprocess
import sys

import pytest

from webhook.server.settings import LogFormat, LogLevel

SAY = """
import sys, structlog
from webhook.admission.answer import answer
from webhook.admission.decision import Decision, Outcome
from webhook.admission.journal import Noted, Subject
from webhook.admission.review import Request
from webhook.reasons import Code, because
from webhook.server.logs import configure
from webhook.server.review_log import review_log
from webhook.server.settings import LogFormat, LogLevel
level, form = LogLevel(sys.argv[1]), LogFormat(sys.argv[2])
stream = configure(level, form)
named = {"uid": "1", "namespace": "serving", "pod": "one\\x1b"}
structlog.get_logger().info("reviewed", **named, outcome="skipped", reasons="no-engine")
skipped = answer(Decision(outcome=Outcome.SKIPPED, reasons=(because(Code.NO_ENGINE),)))
pods = [Request(uid="1", namespace="serving", name="one\\x1b"), Request(uid="2")]
reviews = [*(Noted(skipped, 0.0, each.uid, each) for each in pods), Noted(skipped, 0.0, "3")]
review_log(stream, level, form).write(Subject.POD, reviews)
"""


def said(level: LogLevel, form: LogFormat) -> list[str]:
    command = [sys.executable, "-c", SAY, level, form]
    return subprocess.run(command, check=True, capture_output=True, text=True).stderr.splitlines()


def test_json_has_the_fields_of_any_other_line() -> None:
    other, one, two = (json.loads(line) for line in said(LogLevel.INFO, LogFormat.JSON))
    assert one.keys() == other.keys()
    assert {**one, "timestamp": ""} == {**other, "timestamp": ""}
    assert (two["uid"], two["pod"], two["event"], two["level"]) == ("2", None, "reviewed", "info")
    assert len(two["timestamp"]) == len(other["timestamp"])
    assert two["timestamp"].endswith("Z")


def test_text_is_for_a_person() -> None:
    other, one, two = said(LogLevel.INFO, LogFormat.TEXT)
    assert one.split("reviewed")[1] == other.split("reviewed")[1]
    assert "uid=2" in two


@pytest.mark.parametrize("form", LogFormat)
@pytest.mark.parametrize("level", [LogLevel.WARNING, LogLevel.ERROR])
def test_above_information_there_is_none(level: LogLevel, form: LogFormat) -> None:
    assert said(level, form) == []
