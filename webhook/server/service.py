"""What reviews and previews are answered by, wired from the settings, opened and closed as one."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec
import structlog

from webhook.admission.reviewer import Reviewer
from webhook.admission.workload_reviewer import WorkloadReviewer
from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.cluster import Cluster, ClusterView, NoCluster
from webhook.lookup.listing import Route
from webhook.lookup.model import Models
from webhook.lookup.observer import Observer
from webhook.lookup.watching import KubeError
from webhook.lookup.world import LiveWorld
from webhook.pipeline import Pipeline
from webhook.server.preview_lookups import PreviewPipelines
from webhook.server.settings import ClusterMode, Settings

if TYPE_CHECKING:
    from webhook.lookup.kube import Kubernetes

_log = structlog.get_logger()
# Beyond the look-ups' own deadline, for the rest of a review; the webhook's timeoutSeconds (5) lies above both.
_REST_SECONDS = 1.0


class ClusterError(Exception):
    """The cluster was to be followed and cannot be; the message says why."""


class Service(msgspec.Struct, frozen=True):
    """The reviewers of pods and of workloads, what previews go by, and what the caches are filled from."""

    reviewer: Reviewer
    workloads: WorkloadReviewer
    previews: PreviewPipelines
    # The longest that one review may take.
    review_seconds: float
    cluster: ClusterView
    warming: asyncio.Task[None]

    async def fill(self, seconds: float) -> dict[str, str]:
        """Waits until a first review finds what it needs in memory, and tells what it will not find, and why."""
        settled, _ = await asyncio.gather(self._settled(seconds), asyncio.wait((self.warming,), timeout=seconds))
        if not settled:
            return {"cluster": f"no answer within {seconds:g} s"}
        return self.cluster.problems if isinstance(self.cluster, Cluster) else {}

    def heard(self) -> dict[str, float]:
        """Returns when the API server last told how each resource is; nothing where no cluster is followed."""
        return self.cluster.heard if isinstance(self.cluster, Cluster) else {}

    async def _settled(self, seconds: float) -> bool:
        return await self.cluster.settled(seconds) if isinstance(self.cluster, Cluster) else True


@asynccontextmanager
async def open_service(settings: Settings, observer: Observer) -> AsyncIterator[Service]:
    """Opens the look-ups and puts the pipeline on them.

    Raises:
        ClusterError: the settings want a cluster, and none is configured here.
    """
    models = Models()
    warming = asyncio.create_task(_warm(models, Route(endpoint=settings.lookup.s3_endpoint)))
    async with _cluster(settings) as cluster:
        catalogue = load_catalogue()
        world = LiveWorld(settings.lookup, catalogue, cluster, models.fetch, observer)
        review_seconds = settings.lookup.deadline_seconds + _REST_SECONDS
        pipeline, prefix = Pipeline(settings.pod, settings.plan, world), settings.pod.annotation_prefix
        reviewer = Reviewer(pipeline, world, annotation_prefix=prefix, deadline_seconds=review_seconds)
        workloads = WorkloadReviewer(pipeline, world, annotation_prefix=prefix, deadline_seconds=review_seconds)
        try:
            previews = PreviewPipelines(settings, catalogue, cluster, world)
            yield Service(reviewer, workloads, previews, review_seconds, cluster, warming)
        finally:
            await world.close()
            models.close()


async def _warm(models: Models, route: Route) -> None:
    """Makes the S3 client ahead: boto3 takes a while to load its own models, and the first review must not."""
    try:
        await asyncio.to_thread(models.warm, route)
    except Exception as fault:  # noqa: BLE001 (a listing meets it again, and tells the pod)
        _log.warning("no S3 client can be made", error=type(fault).__name__, problem=str(fault))


@asynccontextmanager
async def _cluster(settings: Settings) -> AsyncIterator[ClusterView]:
    rules = settings.namespace_rules()
    api = await _connect(settings.server.kubernetes)
    if api is None:
        yield NoCluster(rules)
        return
    cluster = Cluster(api, rules)
    await cluster.start()
    try:
        yield cluster
    finally:
        await cluster.close()
        await api.close()


async def _connect(mode: ClusterMode) -> "Kubernetes | None":
    """Connects to the API server that the mode wants; None where there is to be no cluster.

    Raises:
        ClusterError: the mode is `on`, and neither a service account nor a kubeconfig leads to a cluster.
    """
    if mode is ClusterMode.OFF or (mode is ClusterMode.AUTO and "KUBERNETES_SERVICE_HOST" not in os.environ):
        return None
    kubernetes = await asyncio.to_thread(_load_client)
    try:
        return kubernetes.in_cluster()
    except KubeError as error:
        if mode is ClusterMode.AUTO:
            _log.warning("the cluster is not followed", problem=str(error))
            return None
    try:
        return await kubernetes.from_kubeconfig()
    except KubeError as error:
        raise ClusterError(f"--kubernetes is on, but there is no service account, and {error}") from error


def _load_client() -> "type[Kubernetes]":
    from webhook.lookup.kube import Kubernetes  # noqa: PLC0415 (takes half a second, and only a cluster needs it)

    return Kubernetes
