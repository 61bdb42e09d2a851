"""One replica's part in keeping the certificate: all of them follow it, one of them renews it.

It looks every few seconds, rather than being told, so there is nothing to miss: what somebody wiped, deleted or spoilt
is found by the next look, and so is what another replica left undone.
"""

import asyncio
import datetime as dt
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Protocol

from webhook.certificates.cluster import CertificateCluster, Configuration, Look
from webhook.certificates.issuing import Leaf, issue
from webhook.certificates.kept import Kept
from webhook.certificates.lease import Lease
from webhook.certificates.outcomes import Step, Writing
from webhook.certificates.patience import Patience
from webhook.certificates.rotation import Rules, Seen, advance, bundle_for, choose, is_trusted
from webhook.certificates.settings import CertificateSettings
from webhook.certificates.trust import Authorities
from webhook.lookup.watching import KubeError

# A settle time must not eat up the third of a life in which it is renewed.
_MOST_OF_LIFE_TO_SETTLE = 12
# Between looks while there is nothing to serve that is trusted, in seconds.
_IMPATIENT_SECONDS = 0.5
_RELEASE_SECONDS = 2.0


class Listener(Protocol):
    """Whom a keeper tells."""

    def serve(self, leaf: Leaf) -> None:
        """Serves this certificate from now on."""

    def judge(self, *, trusted: bool) -> None:
        """Hears whether the API server was told to trust what is served."""

    def stepped(self, step: Step) -> None:
        """Hears of a step that this replica took, or could not take."""

    def wrote(self, outcome: Writing, configuration: str) -> None:
        """Hears that the `caBundle`s of a configuration were put right, or could not be."""

    def failed(self, problem: str | None) -> None:
        """Hears what stands in the way of keeping the certificate; None once nothing does."""


class Keeper:
    """Keeps the certificate until it is cancelled.

    Args:
        cluster: what is kept, and what is told.
        lease: which replica does it.
        settings: names, life and patience.
        listener: whom to tell.
        clock: seconds, from any start, never set back.
    """

    def __init__(
        self,
        cluster: CertificateCluster,
        lease: Lease,
        settings: CertificateSettings,
        listener: Listener,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        life = dt.timedelta(hours=settings.certificate_hours)
        self._cluster = cluster
        self._lease = lease
        self._rules = Rules(settings.certificate_names, life)
        self._poll_seconds = settings.certificate_poll_seconds
        longest = life.total_seconds() / _MOST_OF_LIFE_TO_SETTLE
        self._patience = Patience(min(settings.certificate_settle_seconds, longest), self._poll_seconds, clock)
        self._listener = listener
        self._serving: Leaf | None = None
        self._trusted = False

    async def run(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Looks and acts until it is cancelled; nothing else ends it, a fault of our own neither."""
        try:
            while True:
                await sleep(await self._turn())
        finally:
            await self._let_go()

    async def round(self) -> bool:
        """Looks once, and takes one step or tells the webhooks what to trust; tells whether it took a step.

        Raises:
            KubeError: the API server is not reached, or refuses.
        """
        look = await self._cluster.look()
        seen = self._patience.see(look)
        self._follow(look.kept, seen)
        if not await self._lease.held():
            return False
        if await self._advance(look, seen):
            return True
        await self._tell(look, seen)
        return False

    async def _turn(self) -> float:
        """Does one round, and returns how long to wait before the next."""
        try:
            stepped = await self.round()
            self._listener.failed(None)
            if stepped:
                return 0.0
        except KubeError as error:
            if not _is_conflict(error):
                self._listener.failed(str(error))
        except Exception as fault:  # noqa: BLE001 - see run; its type alone, as its text may hold a certificate's key
            self._listener.failed(type(fault).__name__)
        return self._poll_seconds if self._trusted else min(self._poll_seconds, _IMPATIENT_SECONDS)

    def _follow(self, kept: Kept, seen: Seen) -> None:
        """Serves what is kept, unless the webhooks trust only what is served so far."""
        leaf = choose(self._serving, kept, seen, self._rules)
        if leaf is not None and leaf != self._serving:
            self._listener.serve(leaf)
            self._serving = leaf
        self._trusted = leaf is not None and is_trusted(leaf, seen, self._rules)
        self._listener.judge(trusted=self._trusted)

    async def _advance(self, look: Look, seen: Seen) -> bool:
        step = advance(look.kept, seen, self._rules, lambda: issue(self._rules.names, look.now, self._rules.life))
        if step is None:
            return False
        taken, kept = step
        try:
            await self._cluster.keep(look, kept)
        except KubeError as error:
            if not _is_conflict(error):
                self._listener.stepped(Step.FAILED)
            raise
        self._listener.stepped(taken)
        return True

    async def _tell(self, look: Look, seen: Seen) -> None:
        """Puts every `caBundle` right that is not; one that cannot be does not keep the others from it."""
        problem: KubeError | None = None
        for each in look.configurations:
            bundles = [bundle_for(bundle, look.kept, seen) for bundle in each.bundles]
            if tuple(bundles) == each.bundles:
                continue
            try:
                await self._tell_one(each, bundles)
            except KubeError as error:
                problem = error
        if problem:
            raise problem

    async def _tell_one(self, configuration: Configuration, bundles: list[Authorities]) -> None:
        try:
            await self._cluster.tell(configuration, bundles)
        except KubeError as error:
            if not _is_conflict(error):
                self._listener.wrote(Writing.FAILED, configuration.path)
            raise
        self._listener.wrote(Writing.WRITTEN, configuration.path)

    async def _let_go(self) -> None:
        try:
            async with asyncio.timeout(_RELEASE_SECONDS):
                await self._lease.release()
        except (KubeError, TimeoutError):
            pass  # it runs out by itself


def _is_conflict(error: KubeError) -> bool:
    """Tells whether somebody else changed the same: no fault, and the next look shows what is left to do."""
    return error.status == HTTPStatus.CONFLICT
