"""`fastload serve`: one process, one event loop, two ports, from start to drained."""

import asyncio
import contextlib
import gc
import math
import os
import signal
import socket
import sys

import structlog
import uvicorn

from webhook import __version__
from webhook.admission.endpoint import ReviewEndpoint
from webhook.admission.journal import Journal, Subject
from webhook.server import logs
from webhook.server.app import MUTATE, VALIDATE, ReviewPort, admin_port
from webhook.server.certificate_source import source
from webhook.server.health import Health
from webhook.server.ignored import ignored
from webhook.server.listeners import Listener, Tls, bind
from webhook.server.log_stream import LogStream
from webhook.server.metrics import Metrics
from webhook.server.preview import PreviewEndpoint
from webhook.server.review_log import review_log
from webhook.server.service import Service, open_service
from webhook.server.settings import Settings

_log = structlog.get_logger()
_SWITCH_SECONDS = 0.001


def serve(settings: Settings) -> None:
    """Serves until SIGTERM or SIGINT, then answers what is in flight and returns.

    SIGTERM first leaves time for the Service to forget the pod; SIGINT, and a second signal, do not wait for that.

    Raises:
        ListenError: a port cannot be listened on.
        CertificateError: the certificate cannot be used.
        ClusterError: a cluster was asked for, and none is configured here.
    """
    log = logs.configure(settings.server.log_level, settings.server.log_format)
    for sentence in ignored(os.environ):
        _log.warning("a variable is ignored", problem=sentence)
    # How long another thread may keep the reviews waiting, each time that they have waited for the network.
    sys.setswitchinterval(_SWITCH_SECONDS)
    with asyncio.Runner(loop_factory=uvicorn.Config("", log_config=None).get_loop_factory()) as runner:
        runner.run(_Server(settings, log).run())


class _Signals:
    """The two ways to be told to stop, once and again."""

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self.at_once = asyncio.Event()
        for signum in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(signum, self._receive, signum)

    def _receive(self, signum: signal.Signals) -> None:
        if signum is signal.SIGINT or self.stop.is_set():
            self.at_once.set()
        self.stop.set()


class _Server:
    """The process's parts, put together and taken down in order."""

    def __init__(self, settings: Settings, log: LogStream) -> None:
        server = settings.server
        self._settings = settings
        self._health = Health()
        self._metrics = Metrics()
        self._metrics.tell_of_log(log)
        self._log = review_log(log, server.log_level, server.log_format)
        self._certificate = source(settings, self._health, self._metrics)
        self._reviews = bind(server.host, server.review_port, "--review-port")
        self._admin = bind(server.host, server.admin_port, "--admin-port")

    async def run(self) -> None:
        signals = _Signals()
        async with (
            open_service(self._settings, self._metrics) as service,
            self._certificate.opened() as follow_certificate,
            asyncio.TaskGroup() as tasks,
        ):
            self._metrics.read(self._health, service.heard)
            reviews, admin = self._listeners(service)
            tasks.create_task(reviews.serve([self._reviews]))
            tasks.create_task(admin.serve([self._admin]))
            behind = [tasks.create_task(self._warm_up(service)), tasks.create_task(follow_certificate())]
            self._announce()
            await self._until_told(signals)
            for task in behind:
                task.cancel()
            reviews.should_exit = admin.should_exit = True
        _log.info("stopped")

    def _listeners(self, service: Service) -> tuple[Listener, Listener]:
        admission, log = self._settings.admission, self._log
        endpoints = {
            MUTATE: ReviewEndpoint(service.reviewer, admission, Journal(self._metrics.reviews, log)),
            VALIDATE: ReviewEndpoint(
                service.workloads, admission, Journal(self._metrics.workloads, log, subject=Subject.WORKLOAD)
            ),
        }
        previews = PreviewEndpoint(service.previews, self._settings.preview, self._metrics.count_preview)
        grace_seconds = math.ceil(service.review_seconds)
        note, dropped = self._metrics.count_handshake, self._metrics.count_dropped
        tls = Tls(self._certificate.serving.listener_context(note), note)
        reviews = ReviewPort(endpoints, self._health)
        admin = admin_port(self._health, self._metrics.registry, previews)
        return (
            Listener(reviews, tls=tls, grace_seconds=grace_seconds, dropped=dropped),
            Listener(admin, tls=None, grace_seconds=grace_seconds, dropped=dropped),
        )

    async def _warm_up(self, service: Service) -> None:
        seconds = self._settings.server.ready_seconds
        known = asyncio.ensure_future(self._certificate.known())
        lacking, _ = await asyncio.gather(service.fill(seconds), asyncio.wait((known,), timeout=seconds))
        known.cancel()
        _spare_collector()
        self._health.warm = True
        if lacking:
            _log.warning("ready, but reviews go without a part of the cluster for now", **lacking)

    async def _until_told(self, signals: _Signals) -> None:
        await signals.stop.wait()
        self._health.draining = True
        _log.info("draining", at_once=signals.at_once.is_set())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(signals.at_once.wait(), self._settings.server.drain_seconds)

    def _announce(self) -> None:
        _log.info(
            "listening",
            version=__version__,
            reviews=f"https://{_address(self._reviews)}{MUTATE}",
            admin=f"http://{_address(self._admin)}",
        )


def _spare_collector() -> None:
    """Takes all that start-up made out of the garbage collector's rounds.

    It lives as long as the process. Going through it again and again would hold up reviews for a tenth of a second.
    """
    gc.collect()
    gc.freeze()


def _address(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
