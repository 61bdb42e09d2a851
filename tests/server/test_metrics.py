"""Metrics by Prometheus' conventions, and those that are read where they stand."""

import re

import pytest
from prometheus_client.exposition import generate_latest

from webhook.lookup.observer import Lookup
from webhook.server.families import FAMILIES, Family
from webhook.server.health import Health
from webhook.server.metrics import Metrics

# Whose values are enumerations, or one for each process.
BOUNDED = {
    "cause",
    "lookup",
    "outcome",
    "python",
    "reason",
    "resource",
    "result",
    "stage",
    "step",
    "version",
}
# Base units, and what a gauge without one may be called by (Prometheus, "Metric and label naming").
GAUGES = ("_seconds", "_bytes", "_info", "_ready")


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_names_labels_and_help_keep_to_the_conventions(family: Family) -> None:
    assert re.fullmatch(r"fastload(_[a-z]+)+", family.name)
    if family.buckets:
        assert family.name.endswith("_seconds")
        assert list(family.buckets) == sorted(set(family.buckets))
    else:
        assert family.name.endswith(("_total", *GAUGES))
    assert not re.search(r"_(milliseconds|minutes|days|kilobytes|count|sum|bucket)(_|$)", family.name)
    assert set(family.labels) <= BOUNDED
    assert family.help.endswith(".")


def test_no_family_is_declared_twice() -> None:
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)


def scraped(metrics: Metrics) -> list[str]:
    return generate_latest(metrics.registry).decode().splitlines()


def test_whether_it_is_ready_and_when_it_heard_of_the_cluster_is_told_as_it_is_at_a_scrape() -> None:
    metrics, health, heard = Metrics(), Health(), {"nodes": 0.0}
    metrics.read(health, lambda: heard)
    assert {"fastload_ready 0.0", 'fastload_cluster_heard_timestamp_seconds{resource="nodes"} 0.0'} <= {
        *scraped(metrics)
    }

    health.warm, heard["nodes"] = True, 1.5
    assert {"fastload_ready 1.0", 'fastload_cluster_heard_timestamp_seconds{resource="nodes"} 1.5'} <= {
        *scraped(metrics)
    }

    health.draining = True
    assert "fastload_ready 0.0" in scraped(metrics)


def test_ages_of_stale_answers_add_up() -> None:
    metrics = Metrics()
    assert 'fastload_lookup_stale_seconds_total{lookup="model"} 0.0' in scraped(metrics)
    metrics.count_stale(Lookup.MODEL, 300.0)
    metrics.count_stale(Lookup.MODEL, 400.5)
    assert 'fastload_lookup_stale_seconds_total{lookup="model"} 700.5' in scraped(metrics)
