"""The review path in this process, wired as the server wires it, with everything that it looks up in memory."""

import asyncio
import os

from webhook.admission.asgi import Message
from webhook.admission.endpoint import ReviewEndpoint
from webhook.admission.journal import Journal
from webhook.admission.reviewer import Reviewer
from webhook.admission.settings import AdmissionSettings
from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.cluster import ClusterView, NoCluster
from webhook.lookup.facts import Shards
from webhook.lookup.listing import Listing, declared
from webhook.lookup.settings import LookupSettings
from webhook.lookup.stores import NamespaceRules
from webhook.lookup.world import LiveWorld
from webhook.pipeline import Pipeline
from webhook.plan.settings import PlanSettings
from webhook.pod.settings import PodSettings
from webhook.server.log_stream import LogStream
from webhook.server.metrics import Metrics
from webhook.server.review_log import review_log
from webhook.server.settings import LogFormat, LogLevel

_GIB = 1024**3
_HEADERS = [(b"host", b"fastload"), (b"content-type", b"application/json")]
_SCOPE = {"type": "http", "method": "POST", "path": "/mutate", "headers": _HEADERS}


async def _list_shards(_listing: Listing) -> Shards:
    """Stands for S3: the published model's 17 shards."""
    return declared(17, 67 * _GIB)


class Wired:
    """The parts of the review path; log lines are made as the server makes them, and go to /dev/null.

    Without a cluster, every namespace is there and no node is.
    """

    def __init__(self, cluster: ClusterView | None = None) -> None:
        self.prefix = PodSettings().annotation_prefix
        self.settings = PlanSettings()
        self.metrics = Metrics()
        self.world = LiveWorld(
            LookupSettings(), load_catalogue(), cluster or NoCluster(NamespaceRules()), _list_shards, self.metrics
        )
        self.pipeline = Pipeline(PodSettings(), self.settings, self.world)
        self.log = review_log(LogStream(os.open(os.devnull, os.O_WRONLY)), LogLevel.INFO, LogFormat.JSON)

    def endpoint(self) -> ReviewEndpoint:
        """Returns an endpoint that has seen no pod yet; the look-ups are shared."""
        reviewer = Reviewer(self.pipeline, self.world, annotation_prefix=self.prefix, deadline_seconds=3.0)
        return ReviewEndpoint(reviewer, AdmissionSettings(), Journal(self.metrics.reviews, self.log))


async def serve(endpoint: ReviewEndpoint, body: bytes) -> bytes:
    """Has one review answered, by the endpoint alone, and returns the answer."""
    sent: list[bytes] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message.get("body", b""))

    await endpoint(_SCOPE, receive, send)
    await asyncio.sleep(0)  # the endpoint notes what it did
    return b"".join(sent)
