"""The chart's webhook on workloads: it covers what the code knows, and never what could refuse one."""

from typing import Any

import pytest
import yaml

from tests.deploy.rendering import template
from tests.workloads import KINDS

Json = dict[str, Any]


def webhooks(values: Json) -> list[Json]:
    """The webhooks on workloads that the chart makes of these values."""
    done = template(values)
    assert done.returncode == 0, done.stderr
    found = (each for each in yaml.safe_load_all(done.stdout) if each["kind"] == "ValidatingWebhookConfiguration")
    return [webhook for configuration in found for webhook in configuration["webhooks"]]


def test_every_kind_that_is_understood_is_sent() -> None:
    for webhook in webhooks({}):
        sent = {(rule["apiGroups"][0], resource) for rule in webhook["rules"] for resource in rule["resources"]}
        assert sent == set(KINDS.values())


@pytest.mark.parametrize("policy", ["Ignore", "Fail"])
def test_no_value_makes_it_refuse_a_workload(policy: str) -> None:
    assert [each["failurePolicy"] for each in webhooks({"webhooks": {"failurePolicy": policy}})] == ["Ignore"] * 2


def test_it_goes_by_the_prefix_of_the_annotations() -> None:
    expressions = [
        condition["expression"]
        for webhook in webhooks({"annotationPrefix": "tune.example"})
        for condition in webhook["matchConditions"]
    ]
    assert sum("tune.example/inject" in expression for expression in expressions) == 4
    assert not any("fastload.dev" in expression for expression in expressions)


def test_it_is_there_unless_it_is_switched_off() -> None:
    assert len(webhooks({})) == 2
    assert webhooks({"workloadWarnings": {"enabled": False}}) == []
