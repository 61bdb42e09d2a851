"""What the installed webhook tells Prometheus: all that is declared, and how fresh its view of the cluster is."""

import time

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.cluster.waiting import wait_until
from tests.e2e.webhook_process import Webhook
from webhook.server.families import CLUSTER_HEARD, FAMILIES, READY


def scraped(webhook: Webhook) -> dict[str, dict[str, float]]:
    """Samples by their family, and then by the values of their labels."""
    text = httpx.get(f"http://{webhook.address[0]}:8080/metrics", trust_env=False).raise_for_status().text
    return {
        family.name: {",".join(sample.labels.values()): sample.value for sample in family.samples}
        for family in text_string_to_metric_families(text)
    }


def test_all_that_is_declared_is_served(webhook: Webhook) -> None:
    assert {family.name.removesuffix("_total") for family in FAMILIES} <= scraped(webhook).keys()


def test_its_view_of_the_cluster_is_fresh(webhook: Webhook) -> None:
    webhook.wait_until_ready()
    assert scraped(webhook)[READY.name] == {"": 1.0}

    def heard() -> dict[str, float]:
        return scraped(webhook)[CLUSTER_HEARD.name]

    # There is no Karpenter here, which the API server tells as well.
    assert heard().keys() == {"namespaces", "nodes", "nodepools"}
    wait_until(lambda: min(heard().values()) > time.time() - 3600, what="all of them were heard of")
