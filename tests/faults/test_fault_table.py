"""The table says what is tried, and all that it says is there."""

import re
from pathlib import Path

import pytest

from tests.faults.table import FLOODS, SECTIONS, Fault
from webhook.server.families import FAMILIES

TESTS = Path(__file__).parents[1]
# Of the process and of the API server, not ours to declare.
FOREIGN = {"process_open_fds", "apiserver_admission_webhook_fail_open_count"}
FAULTS = [fault for faults in SECTIONS.values() for fault in faults]


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_a_fault_is_tried_where_it_says_and_told_by_a_metric_that_exists(fault: Fault) -> None:
    file, _, function = fault.test.partition("::")
    assert re.search(rf"^def test_{function.removeprefix('test_')}", (TESTS / file).read_text(), re.MULTILINE)
    metrics = {re.sub(r"\{.*", "", each) for each in fault.tells.split(", ") if each}
    assert metrics <= {family.name for family in FAMILIES} | FOREIGN


def test_every_flood_is_tried() -> None:
    named = re.findall(r'FLOODS\["(\w+)"\]', (TESTS / "faults/test_floods.py").read_text())
    assert set(named) == FLOODS.keys()


def test_no_fault_is_told_of_twice() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(set(names)) == len(names)
