"""The alerts: that they ask for metrics that there are, fire when they should, and lead to a page that helps."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.binaries import ensure_promtool
from tests.deploy.rendering import CHART
from webhook.admission.decision import Outcome
from webhook.certificates.outcomes import Step, Writing
from webhook.lookup import observer
from webhook.reasons import Code
from webhook.server.families import FAMILIES
from webhook.server.tls import Handshake

ALERTS = CHART / "files/alerts.yaml"
DOCS = Path(__file__).parents[2]
RULES: list[dict[str, Any]] = [
    rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]
]
# Of the API server (Kubernetes, "Kubernetes Metrics Reference"), and the labels of it that are used.
API_SERVER = {
    "apiserver_admission_webhook_rejection_count": {"name"},
    "apiserver_admission_webhook_fail_open_count": {"name"},
}
VALUES = {
    "fastload_reviews_total": {*Outcome},
    "fastload_reasons_total": {*Code},
    "fastload_lookup_seconds": {*observer.Outcome},
    "fastload_tls_handshakes_total": {*Handshake},
    "fastload_certificate_renewals_total": {*Step},
    "fastload_certificate_bundle_writes_total": {*Writing},
}
_METRIC = re.compile(r"\b((?:fastload|apiserver)_[a-z_]+?)(_bucket|_count|_sum)?\b(?:\{([^}]*)\})?(?![\w{])")
_SECTIONS = ("What it means.", "What users notice.", "How to look.", "What to do.")


def named(rule: dict[str, Any]) -> str:
    return str(rule["alert"])


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_every_metric_label_and_value_exists(rule: dict[str, Any]) -> None:
    families = {family.name: {*family.labels, "le"} for family in FAMILIES} | API_SERVER
    grouped = {label for group in re.findall(r"by \(([^)]*)\)", rule["expr"]) for label in group.split(", ")}
    found = _METRIC.findall(rule["expr"])
    assert found
    for name, suffix, selectors in found:
        family = name if name in families else name + suffix
        labels = re.findall(r'(\w+)(?:=|=~)"([^"]*)"', selectors)
        assert {label for label, _ in labels} | grouped <= families[family]
        if family in VALUES:
            words = {word for label, value in labels if label != "le" for word in value.split("|")}
            assert words <= VALUES[family]


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_every_alert_says_how_bad_it_is_and_where_to_read_on(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in ("critical", "warning")
    annotations = rule["annotations"]
    assert annotations.keys() == {"summary", "description", "runbook"}
    page, _, anchor = annotations["runbook"].partition("#")
    sections = re.split(r"^## ", (DOCS / page).read_text(), flags=re.MULTILINE)[1:]
    titles = {section.partition("\n")[0].lower(): section for section in sections}
    for part in _SECTIONS:
        assert f"**{part}**" in titles[anchor]


def test_every_section_of_the_runbooks_has_an_alert() -> None:
    titles = re.findall(r"^## (.*)$", (DOCS / "docs/runbooks.md").read_text(), re.MULTILINE)
    assert titles == [rule["alert"] for rule in RULES]


_GROWS, _STAYS = "0+1x90", "5x90"
_REFUSED = 'apiserver_admission_webhook_rejection_count{name="pods.fastload.dev"}'
_UNTUNED = 'apiserver_admission_webhook_fail_open_count{name="pods.fastload.dev"}'
_ENDS = "fastload_certificate_expiry_timestamp_seconds"
_BEGUN, _COMPLETED = (f'fastload_tls_handshakes_total{{stage="{stage}"}}' for stage in ("begun", "completed"))
_FAILED = 'fastload_certificate_renewals_total{step="failed"}'
_UNWRITTEN = 'fastload_certificate_bundle_writes_total{outcome="failed"}'
_LATE = 'fastload_lookup_seconds_count{lookup="model",outcome="late"}'
_ASKED = 'fastload_lookup_cache_total{lookup="model",result="miss"}'
_WITHIN, _ALL = 'fastload_review_seconds_bucket{le="2.0"}', "fastload_review_seconds_count"
_DAY = 86400


def reviews(outcome: str) -> str:
    return f'fastload_reviews_total{{outcome="{outcome}"}}'


# What is scraped each minute, over an hour and a half, beside a replica that is ready; and what fires after 80 minutes.
CASES: list[tuple[dict[str, str], set[str]]] = [
    ({}, set()),
    ({_REFUSED: _GROWS}, {"FastloadRefusesPods"}),
    ({_REFUSED: _STAYS}, set()),
    ({"fastload_ready": "0x90"}, {"FastloadDown", "FastloadReplicaNotReady"}),
    ({"fastload_ready": "1x60 _x30"}, {"FastloadDown"}),
    ({'fastload_ready{instance="b"}': "0x90"}, {"FastloadReplicaNotReady"}),
    ({_UNTUNED: _GROWS}, {"FastloadNotReached", "FastloadPodsGoUntuned"}),
    ({_UNTUNED: _GROWS, reviews("injected"): _STAYS}, {"FastloadNotReached", "FastloadPodsGoUntuned"}),
    ({_UNTUNED: _GROWS, reviews("injected"): _GROWS}, {"FastloadPodsGoUntuned"}),
    ({_BEGUN: _GROWS, _COMPLETED: _STAYS}, {"FastloadHandshakesBroken"}),
    ({_BEGUN: _GROWS, _COMPLETED: _GROWS}, set()),
    ({_ENDS: f"{2 * _DAY}x90"}, {"FastloadCertificateEnds", "FastloadCertificateEndsSoon"}),
    ({_ENDS: f"{10 * _DAY}x90"}, {"FastloadCertificateEndsSoon"}),
    ({_ENDS: f"{29 * _DAY}x90"}, set()),
    ({_FAILED: _GROWS, _UNWRITTEN: "0x90"}, {"FastloadCertificateNotKept"}),
    ({_FAILED: "0x90", _UNWRITTEN: _GROWS}, {"FastloadCertificateNotKept"}),
    ({_FAILED: _STAYS, _UNWRITTEN: _STAYS}, set()),
    ({reviews("failed-open"): _GROWS}, {"FastloadFailsOpen"}),
    ({reviews("refused"): _GROWS}, {"FastloadRequestsRefused"}),
    ({reviews("injected"): _GROWS, reviews("failed-open"): _STAYS, reviews("refused"): _STAYS}, set()),
    ({_WITHIN: "0+9x90", _ALL: "0+10x90"}, {"FastloadSlow"}),
    ({_WITHIN: "0+99x90", _ALL: "0+100x90"}, set()),
    ({'fastload_reasons_total{reason="s3-access-denied"}': _GROWS}, {"FastloadModelsNotListed"}),
    ({'fastload_reasons_total{reason="memory-fits"}': _GROWS}, set()),
    ({_LATE: _GROWS, _ASKED: "0+2x90"}, {"FastloadLookupsLate"}),
    ({_LATE: _GROWS, _ASKED: "0+100x90"}, set()),
    ({'fastload_cluster_heard_timestamp_seconds{resource="nodes"}': "0x90"}, {"FastloadClusterStale"}),
    ({'fastload_cluster_heard_timestamp_seconds{resource="nodes"}': "0+60x90"}, set()),
    ({'fastload_connections_dropped_total{cause="slow"}': _GROWS}, {"FastloadConnectionsDropped"}),
    ({'fastload_connections_dropped_total{cause="slow"}': _STAYS}, set()),
    ({"fastload_log_lines_lost_total": _GROWS}, {"FastloadLogLinesLost"}),
    ({"fastload_log_lines_lost_total": _STAYS}, set()),
    ({f'fastload_build_info{{version="{version}"}}': "1x90" for version in "12"}, {"FastloadVersionsDiffer"}),
    ({f'fastload_build_info{{version="1",instance="{name}"}}': "1x90" for name in "ab"}, set()),
]


def test_each_alert_fires_when_it_should_and_no_other_does(tmp_path: Path) -> None:
    assert {rule["alert"] for rule in RULES} == {alert for _, fires in CASES for alert in fires}
    expression = 'count by (alertname) (ALERTS{alertstate="firing"})'
    tests = [
        {
            "name": f"{series}",
            "interval": "1m",
            "input_series": [
                {"series": name, "values": values} for name, values in {"fastload_ready": "1x90", **series}.items()
            ],
            "promql_expr_test": [
                {
                    "expr": f"{expression} > bool 0",
                    "eval_time": "80m",
                    "exp_samples": [{"labels": f'{{alertname="{alert}"}}', "value": 1} for alert in fires],
                }
            ],
        }
        for series, fires in CASES
    ]
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump({"rule_files": [str(ALERTS)], "tests": tests}))

    done = promtool("test", "rules", str(tmp_path / "tests.yaml"))

    assert done.returncode == 0, done.stdout + done.stderr


def test_prometheus_takes_the_rules() -> None:
    done = promtool("check", "rules", "--lint=all", "--lint-fatal", str(ALERTS))
    assert done.returncode == 0, done.stdout + done.stderr


def promtool(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([ensure_promtool(), *arguments], capture_output=True, text=True, timeout=60, check=False)
