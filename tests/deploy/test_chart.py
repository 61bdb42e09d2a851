"""The chart renders, and what is committed beside it is made from it and from the code."""

import json

import pytest

from tests.deploy.rendering import CHART, INSTALL, helm, install_yaml, template
from tests.deploy.settings_schema import SCHEMA, spelled, with_settings


@pytest.mark.parametrize("flags", [[], ["--strict"]])
def test_it_passes_helm_lint(flags: list[str]) -> None:
    done = helm("lint", *flags, str(CHART))
    assert done.returncode == 0, done.stdout


def test_install_yaml_is_the_chart_with_its_default_values() -> None:
    assert INSTALL.read_text() == install_yaml(), "run `make manifests`"


def test_the_schema_knows_fastloads_settings() -> None:
    assert SCHEMA.read_text() == spelled(with_settings(json.loads(SCHEMA.read_text()))), "run `make manifests`"


def test_a_value_that_does_not_exist_is_refused_by_name() -> None:
    done = template({"replica": 3})
    assert done.returncode != 0
    assert "replica" in done.stderr
