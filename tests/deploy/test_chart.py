"""The chart passes helm's own checks, and what is committed beside it is made from it and from the code."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.deploy.rendering import CHART, INSTALL, helm, install_yaml, template
from tests.deploy.settings_schema import SCHEMA, spelled, with_settings
from tests.deploy.values_table import README, VALUES, documented, readme
from webhook import __version__


@pytest.mark.parametrize("flags", [[], ["--strict"]])
def test_it_passes_helm_lint(flags: list[str]) -> None:
    done = helm("lint", *flags, str(CHART))
    assert done.returncode == 0, done.stdout


def test_install_yaml_is_the_chart_with_its_default_values() -> None:
    assert INSTALL.read_text() == install_yaml(), "run `make manifests`"


def test_the_schema_knows_fastloads_settings() -> None:
    assert SCHEMA.read_text() == spelled(with_settings(json.loads(SCHEMA.read_text()))), "run `make manifests`"


def test_its_readme_says_what_values_yaml_says() -> None:
    assert README.read_text() == readme(), "run `make docs`"


def test_it_installs_the_version_that_it_lies_beside() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert (chart["version"], chart["appVersion"]) == (__version__, __version__)


def leaves(values: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def test_every_value_is_explained() -> None:
    explained = {value.path for value in documented()}
    paths = list(leaves(yaml.safe_load(VALUES.read_text())))
    assert [path for path in paths if not any(path[:length] in explained for length in range(1, len(path) + 1))] == []


def test_every_value_that_the_schema_takes_has_a_default() -> None:
    def declared(schema: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        for key, inner in schema["properties"].items():
            if inner.get("properties") and (*path, key) not in explained:
                yield from declared(inner, (*path, key))
            else:
                yield (*path, key)

    explained = {value.path for value in documented()}
    assert {*declared(json.loads(SCHEMA.read_text()))} - {("global",)} == explained


@pytest.mark.parametrize(
    ("version", "taken"),
    [("v1.37.2", True), ("v1.33.4-eks-4096722", True), ("v1.30.0", True), ("v1.29.14", False)],
)
def test_it_names_the_versions_of_kubernetes_that_it_takes(version: str, taken: bool) -> None:  # noqa: FBT001 (a case)
    done = template({}, "--kube-version", version)
    assert (done.returncode == 0) is taken
    assert ("which is incompatible with Kubernetes" in done.stderr) is not taken


def test_the_notes_lead_to_the_doctor_and_upgrade_as_the_docs_do() -> None:
    done = helm("install", "fastload", str(CHART), "--namespace", "fastload", "--dry-run=client")
    assert done.returncode == 0, done.stderr
    notes = done.stdout.partition("\nNOTES:\n")[2]
    assert "kubectl fastload doctor" in notes
    (upgrade,) = re.findall(r"helm upgrade .* (--\S+) --set image", notes)
    assert set(re.findall(r"--\S*reuse-values", (CHART.parents[1] / "docs/operating.md").read_text())) == {upgrade}
