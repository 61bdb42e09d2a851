"""The world of a preview: what its flags declare, and what S3 tells where it may be asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.offline import Assumed, OfflineWorld
from webhook.lookup.settings import LookupSettings
from webhook.lookup.stores import NamespaceRules
from webhook.pipeline import Pipeline
from webhook.preview.world import AssumingWorld, LiveLookups
from webhook.server.settings import Settings

# A person would rather wait than be told that it took too long.
_DEADLINE_SECONDS = 30.0


@asynccontextmanager
async def open_pipeline(settings: Settings, assumed: Assumed, *, offline: bool) -> AsyncIterator[Pipeline]:
    """Opens the pipeline of a review on a world without a cluster; S3 is asked unless offline or declared."""
    rules = settings.namespace_rules()
    declared = OfflineWorld(settings.lookup, load_catalogue(), rules, assumed)
    if offline or assumed.shards is not None:
        yield Pipeline(settings.pod, settings.plan, declared)
        return
    async with _live(settings.lookup, rules) as live:
        yield Pipeline(settings.pod, settings.plan, AssumingWorld(declared, assumed, live))


@asynccontextmanager
async def _live(settings: LookupSettings, rules: NamespaceRules) -> AsyncIterator[LiveLookups]:
    # boto3 takes longer to load than an offline preview takes altogether.
    from webhook.lookup.cluster import NoCluster  # noqa: PLC0415 (see above)
    from webhook.lookup.model import Models  # noqa: PLC0415 (see above)
    from webhook.lookup.world import LiveWorld  # noqa: PLC0415 (see above)

    patient = msgspec.structs.replace(settings, deadline_seconds=max(settings.deadline_seconds, _DEADLINE_SECONDS))
    models = Models()
    live = LiveWorld(patient, load_catalogue(), NoCluster(rules), models.fetch)
    try:
        yield live
    finally:
        await live.close()
        models.close()
