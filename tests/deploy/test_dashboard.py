"""The Grafana dashboard asks for metrics that there are, by labels that they have."""

import json
import re
from typing import Any

import pytest

from tests.deploy.rendering import CHART
from webhook.admission.decision import Outcome
from webhook.lookup.observer import Memory
from webhook.server.families import FAMILIES
from webhook.server.tls import Handshake

DASHBOARD = json.loads((CHART / "files/dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
SCRAPED = {"job", "instance", "le"}
VALUES: dict[str, set[str]] = {"outcome": {*Outcome}, "stage": {*Handshake}, "result": {*Memory}}
_METRIC = re.compile(r"\b(fastload_[a-z_]+?)(_bucket|_count|_sum)?\{([^}]*)\}")
EXPRESSIONS = [target["expr"] for panel in PANELS for target in panel["targets"]]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_metric_and_label_exists(expression: str) -> None:
    families = {family.name: family for family in FAMILIES}
    found = _METRIC.findall(expression)
    assert len(found) == expression.count("fastload_")
    for name, _, selectors in found:
        labels = re.findall(r'(\w+)(?:=|!=|=~)"([^"]*)"', selectors)
        grouped = re.findall(r"by \(([^)]*)\)", expression)
        names = {label for label, _ in labels} | {label for group in grouped for label in group.split(", ")}
        assert names <= {*families[name].labels, *SCRAPED}
        for label, values in labels:
            if label in VALUES:
                assert set(values.split("|")) <= VALUES[label]


def test_every_panel_says_what_it_shows_and_none_covers_another() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        assert panel["title"]
        assert panel["type"] == "row" or panel["description"]
        cells = _cells(panel["gridPos"])
        assert not taken & cells
        taken |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def _cells(position: dict[str, Any]) -> set[tuple[int, int]]:
    columns = range(position["x"], position["x"] + position["w"])
    rows = range(position["y"], position["y"] + position["h"])
    assert columns.stop <= 24
    return {(column, row) for column in columns for row in rows}
