"""Where the serving certificate comes from: files that somebody else renews, or fastload itself."""

import asyncio
import contextlib
import socket
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import structlog

from webhook.certificates.cluster import CertificateCluster
from webhook.certificates.issuing import Leaf
from webhook.certificates.keeper import Keeper
from webhook.certificates.lease import Lease
from webhook.certificates.outcomes import Step, Writing
from webhook.certificates.settings import CertificateSource
from webhook.lookup.watching import KubeError
from webhook.server.health import Health
from webhook.server.metrics import Metrics
from webhook.server.service import ClusterError
from webhook.server.settings import ServerSettings, Settings
from webhook.server.tls import Certificate, CertificateError, Follower, Serving, follow, load_files, load_pem

if TYPE_CHECKING:
    from webhook.certificates.kube import WritingKubernetes

Follow = Callable[[], Coroutine[None, None, None]]

_log = structlog.get_logger()
_ABSENT = "there is no certificate yet"
_MISTRUSTED = "the API server is not told to trust the certificate"


class Source(Protocol):
    """What is served, and what it takes to keep it so."""

    @property
    def serving(self) -> Serving:
        """What every handshake asks for the certificate of the day."""

    def opened(self) -> contextlib.AbstractAsyncContextManager[Follow]:
        """Opens what the source needs, and yields what follows it until it is cancelled."""

    async def known(self) -> None:
        """Returns once it is known whether the API server takes the certificate, as far as that ever is."""


def source(settings: Settings, health: Health, metrics: Metrics) -> Source:
    """Returns the source that the settings name.

    Raises:
        CertificateError: the files cannot be used.
    """
    if settings.certificates.certificates is CertificateSource.FILES:
        return _Files(settings.server, metrics)
    return _SelfManaged(settings, health, metrics)


class _Files:
    """Two files, looked at for a change every few seconds."""

    def __init__(self, settings: ServerSettings, metrics: Metrics) -> None:
        self.serving: Certificate = Certificate(Path(settings.tls_certificate), Path(settings.tls_key))
        self._seconds = settings.tls_reload_seconds
        self._metrics = metrics

    async def known(self) -> None:
        """Returns at once: nobody asks."""

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Follow]:
        """Opens nothing."""
        yield self._follow

    async def _follow(self) -> None:
        self._metrics.certificate_expires(self.serving.expires)

        def renewed() -> None:
            self._metrics.certificate_expires(self.serving.expires)
            _log.info("serving the renewed certificate")

        def failed(error: CertificateError) -> None:
            _log.error("the renewed certificate cannot be served; the old one stays", problem=str(error))

        await follow(self.serving, self._seconds, Follower(renewed, failed))


class _SelfManaged:
    """A certificate that all replicas share in a Secret; each listens to its own keeper here.

    The files are read once at the start, where they are there: a replica that starts while the API server is away has
    something to serve when it comes back.
    """

    def __init__(self, settings: Settings, health: Health, metrics: Metrics) -> None:
        self.serving = Serving()
        self._settings = settings.certificates
        self._health = health
        self._metrics = metrics
        self._known = asyncio.Event()
        self._problem: str | None = None
        with contextlib.suppress(CertificateError):
            self.serving.replace(load_files(Path(settings.server.tls_certificate), Path(settings.server.tls_key)))
        health.certificate = "" if self.serving.expires else _ABSENT
        metrics.certificate_expires(self.serving.expires)

    async def known(self) -> None:
        """Waits for the first look."""
        await self._known.wait()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Follow]:
        """Connects to the API server.

        Raises:
            ClusterError: neither a service account nor a kubeconfig leads to one.
        """
        api = await _connect()
        namespace = self._settings.certificate_namespace
        leases = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
        holder = f"{socket.gethostname()}-{uuid.uuid4().hex[:8]}"
        seconds = self._settings.certificate_poll_seconds
        lease = Lease(api, (leases, self._settings.certificate_secret), holder, seconds)
        keeper = Keeper(CertificateCluster(api, self._settings), lease, self._settings, self)
        try:
            yield keeper.run
        finally:
            await api.close()

    def serve(self, leaf: Leaf) -> None:
        """Serves this certificate to the next connection."""
        self.serving.replace(load_pem(leaf.chain, leaf.key))
        self._metrics.certificate_expires(self.serving.expires)
        _log.info("serving the certificate that is kept")

    def judge(self, *, trusted: bool) -> None:
        """Is ready by this, and tells when it changes."""
        problem = "" if trusted else _MISTRUSTED if self.serving.expires else _ABSENT
        if problem != self._health.certificate and problem:
            _log.warning("not ready", problem=problem)
        self._health.certificate = problem
        self._known.set()

    def stepped(self, step: Step) -> None:
        """Counts and logs a step."""
        self._metrics.count_renewal(step)
        _log.info("keeping the certificate", step=step)

    def wrote(self, outcome: Writing, configuration: str) -> None:
        """Counts and logs a `caBundle`."""
        self._metrics.count_bundle(outcome)
        _log.info("a caBundle was not as it should be", outcome=outcome, configuration=configuration)

    def failed(self, problem: str | None) -> None:
        """Logs a problem when it comes and when it goes."""
        if problem != self._problem and problem:
            _log.warning("the certificate is not kept for now", problem=problem)
        elif problem != self._problem:
            _log.info("the certificate is kept again")
        self._problem = problem


async def _connect() -> "WritingKubernetes":
    """Connects as the service account, or else as a kubeconfig says.

    Raises:
        ClusterError: neither is there.
    """
    kubernetes = await asyncio.to_thread(_load_client)
    with contextlib.suppress(KubeError):
        return kubernetes.in_cluster()
    try:
        return await kubernetes.from_kubeconfig()
    except KubeError as error:
        raise ClusterError(
            f"--certificates is {CertificateSource.SELF_MANAGED}, but there is no service account, and {error}"
        ) from error


def _load_client() -> "type[WritingKubernetes]":
    from webhook.certificates.kube import WritingKubernetes  # noqa: PLC0415 (takes half a second)

    return WritingKubernetes
