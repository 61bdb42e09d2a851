"""The chart installs whatever rules lie in its files/alerts.yaml, as they are."""

import shutil
from pathlib import Path

import yaml

from tests.deploy.rendering import CHART, helm

RULES = {
    "groups": [
        {
            "name": "fastload",
            "rules": [
                {
                    "alert": "FastloadFailsOpen",
                    "expr": 'increase(fastload_reviews_total{outcome="failed-open"}[10m]) > 0',
                    "annotations": {"summary": "{{ $labels.instance }} makes pods as they were, {{ $value }} of them."},
                }
            ],
        }
    ]
}


def test_rules_come_through_as_they_are(tmp_path: Path) -> None:
    chart = shutil.copytree(CHART, tmp_path / "fastload")
    (chart / "files/alerts.yaml").write_text(yaml.safe_dump(RULES))
    done = helm("template", "fastload", str(chart), values={"prometheusRule": {"enabled": True, "labels": {"a": "b"}}})
    assert done.returncode == 0, done.stderr
    (rule,) = (each for each in yaml.safe_load_all(done.stdout) if each["kind"] == "PrometheusRule")
    assert rule["spec"] == RULES
    assert rule["metadata"]["labels"]["a"] == "b"
