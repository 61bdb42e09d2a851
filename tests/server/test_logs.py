"""What of a pod that nobody has checked yet comes into a line of log."""

import subprocess
import sys

import pytest

from webhook.server.settings import LogFormat

NAME = "llm\n2026-01-01 forged\x1b[2J\x07\u202e"
SAY = """
import logging, sys, structlog
from webhook.server.logs import configure
from webhook.server.settings import LogFormat, LogLevel
configure(LogLevel.INFO, LogFormat(sys.argv[1]))
structlog.get_logger().info("reviewed", pod=sys.argv[2])
try:
    raise ValueError(sys.argv[2])
except ValueError:
    logging.getLogger("other").exception("failed over %s", sys.argv[2])
"""


@pytest.mark.parametrize("form", LogFormat)
def test_a_name_steers_no_terminal_and_forges_no_line(form: LogFormat) -> None:
    said = subprocess.run([sys.executable, "-c", SAY, form, NAME], check=True, capture_output=True, text=True).stderr
    assert not {"\x1b", "\x07"} & set(said)
    lines = [line for line in said.splitlines() if "reviewed" in line]
    assert len(lines) == 1
    assert "forged" in lines[0]
