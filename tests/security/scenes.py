"""The whole way of a review, with a store and a cluster in memory."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from tests.reviews import Ledger, review, send
from webhook.admission.endpoint import ReviewEndpoint
from webhook.admission.journal import Journal, Observer, StructuredLog
from webhook.admission.reviewer import Reviewer
from webhook.admission.settings import AdmissionSettings
from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.cluster import NoCluster
from webhook.lookup.facts import Shards, Unknown
from webhook.lookup.listing import Listing
from webhook.lookup.settings import LookupSettings
from webhook.lookup.stores import NamespaceRules
from webhook.lookup.world import LiveWorld
from webhook.pipeline import Pipeline
from webhook.plan.settings import PlanSettings
from webhook.pod.settings import PodSettings

Json = dict[str, Any]
Store = Callable[[Listing], Awaitable[Shards | Unknown]]

ROOTS = ("/mnt/k8s-disks/0/fastload", "/data/cache")

_CATALOGUE = load_catalogue()
_SHARDS = Shards(count=17, total_bytes=67 * 1024**3, largest_bytes=4 * 1024**3)


async def full(_: Listing) -> Shards | Unknown:
    """A store that has every model."""
    return _SHARDS


def answer_to(
    pod: Json,
    *,
    namespace: str = "serving",
    store: Store = full,
    lookup: LookupSettings | None = None,
    observer: Observer | None = None,
) -> Json:
    """The response to the review of a pod's creation; whatever was logged on the way is written by then."""

    async def ask() -> Json:
        world = LiveWorld(lookup or LookupSettings(), _CATALOGUE, NoCluster(NamespaceRules()), store)
        pipeline = Pipeline(PodSettings(), PlanSettings(cache_roots=ROOTS), world)
        reviewer = Reviewer(pipeline, world, annotation_prefix="fastload.dev", deadline_seconds=60)
        app = ReviewEndpoint(reviewer, AdmissionSettings(), Journal(observer or Ledger(), StructuredLog()))
        answered = await send(app, "POST", json.dumps(review(pod, namespace=namespace)).encode())
        await asyncio.sleep(0)
        await world.close()
        found: Json = answered.json()["response"]
        return found

    response = asyncio.run(ask())
    assert response["allowed"] is True
    return response
