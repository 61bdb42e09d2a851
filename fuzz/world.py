"""What the targets run in: the real way of a review and of a preview, with a store and a cluster in memory."""

from collections.abc import Sequence
from functools import cache

from webhook.admission.decision import Outcome
from webhook.admission.endpoint import ReviewEndpoint
from webhook.admission.journal import Journal, StructuredLog
from webhook.admission.reviewer import Reviewer
from webhook.admission.settings import AdmissionSettings
from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.cluster import NoCluster
from webhook.lookup.facts import Shards
from webhook.lookup.listing import Listing
from webhook.lookup.offline import Assumed, OfflineWorld
from webhook.lookup.settings import LookupSettings
from webhook.lookup.stores import NamespaceRules
from webhook.lookup.world import LiveWorld
from webhook.pipeline import Pipeline
from webhook.plan.settings import PlanSettings
from webhook.pod.settings import PodSettings
from webhook.reasons import Code

# What the endpoint says to what is no review that it can answer.
CODES_OF_REFUSAL = frozenset({400, 413})
ROOT = "/mnt/k8s-disks/0/fastload"

_SHARDS = Shards(count=17, total_bytes=67 * 1024**3, largest_bytes=4 * 1024**3)
_DEADLINE_SECONDS = 60.0  # an input that is slow is reported as slow, and not as too late


class _Nobody:
    """An observer that counts nothing."""

    def observe(self, outcome: Outcome, reasons: Sequence[Code], seconds: float) -> None:
        """Counts nothing."""


async def _listed(_: Listing) -> Shards:
    return _SHARDS


@cache
def endpoint() -> ReviewEndpoint:
    """Returns the endpoint of pods' reviews."""
    world = LiveWorld(LookupSettings(), load_catalogue(), NoCluster(NamespaceRules()), _listed)
    pipeline = Pipeline(PodSettings(), PlanSettings(), world)
    reviewer = Reviewer(pipeline, world, annotation_prefix="fastload.dev", deadline_seconds=_DEADLINE_SECONDS)
    return ReviewEndpoint(reviewer, AdmissionSettings(), Journal(_Nobody(), StructuredLog()))


@cache
def offline() -> Pipeline:
    """Returns the pipeline of previews, for models of 17 shards."""
    world = OfflineWorld(LookupSettings(), load_catalogue(), NamespaceRules(), Assumed(shards=_SHARDS))
    return Pipeline(PodSettings(), PlanSettings(), world)
