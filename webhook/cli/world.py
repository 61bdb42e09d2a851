"""The world of a preview: what its flags declare, what the cluster tells, and what S3 does where it may be asked."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import msgspec

from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.cluster import ClusterView, NoCluster
from webhook.lookup.facts import Unknown
from webhook.lookup.listing import Listing
from webhook.lookup.offline import Assumed, OfflineWorld
from webhook.lookup.world import ListShards, LiveWorld
from webhook.pipeline import Pipeline
from webhook.preview.world import AssumingWorld
from webhook.reasons import Code, because
from webhook.server.settings import Settings

# A person would rather wait than be told that it took too long.
_DEADLINE_SECONDS = 30.0


@asynccontextmanager
async def open_pipeline(
    settings: Settings, assumed: Assumed, cluster: ClusterView | None = None, *, offline: bool
) -> AsyncIterator[Pipeline]:
    """Opens the pipeline of a review on a world of flags, of a cluster where there is one, and of S3.

    S3 is asked unless offline, or where a flag declares what it would tell.
    """
    catalogue, rules = load_catalogue(), settings.namespace_rules()
    inventory = cluster.inventory if cluster else None
    declared = OfflineWorld(settings.lookup, catalogue, rules, assumed, inventory)
    unlisted = offline or assumed.shards is not None
    if cluster is None and unlisted:
        yield Pipeline(settings.pod, settings.plan, declared)
        return
    patient = max(settings.lookup.deadline_seconds, _DEADLINE_SECONDS)
    lookup = msgspec.structs.replace(settings.lookup, deadline_seconds=patient)
    with _offline() if unlisted else _s3() as list_shards:
        live = LiveWorld(lookup, catalogue, cluster or NoCluster(rules), list_shards)
        try:
            yield Pipeline(settings.pod, settings.plan, AssumingWorld(declared, assumed, live))
        finally:
            await live.close()


@contextmanager
def _s3() -> Iterator[ListShards]:
    from webhook.lookup.model import Models  # noqa: PLC0415 (boto3 loads longer than an offline preview takes)

    models = Models()
    try:
        yield models.fetch
    finally:
        models.close()


@contextmanager
def _offline() -> Iterator[ListShards]:
    async def fetch(listing: Listing) -> Unknown:
        return Unknown(because(Code.OFFLINE, subject=listing))

    yield fetch
