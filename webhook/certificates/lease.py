"""A Lease: of all replicas, one renews the certificate.

Two that believe to hold it do no harm, as every write names the version that it changes; it saves them the work.
"""

import datetime as dt
import json
import math
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from webhook.certificates.api import Api
from webhook.lookup.watching import KubeError

_SHORTEST_SECONDS = 15.0
_MISSED = 3


class Lease:
    """One replica's claim to the Lease.

    Clocks of machines differ, so nobody compares times: a holder that left the Lease unchanged for as long as it said,
    by the watcher's own clock, is gone.

    Args:
        api: where it is kept.
        path: of the namespace's Leases, and its name.
        holder: this replica, as nobody else is named.
        every_seconds: how often it is asked for.
        clock: seconds, from any start, never set back.
    """

    def __init__(
        self,
        api: Api,
        path: tuple[str, str],
        holder: str,
        every_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._api = api
        self._collection, self._name = path
        self._holder = holder
        self._seconds = math.ceil(max(_SHORTEST_SECONDS, _MISSED * every_seconds))
        self._clock = clock
        self._seen: tuple[str, float] = ("", 0.0)

    async def held(self) -> bool:
        """Takes the Lease or renews it, and tells whether this replica holds it.

        Raises:
            KubeError: the API server is not reached, or refuses.
        """
        body = (await self._api.read(self._path)).body
        if body is None:
            fresh = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": self._name}}
            return await self._write("POST", self._collection, fresh, self._holder)
        found = json.loads(body)
        return self._free(found) and await self._write("PUT", self._path, found, self._holder)

    async def release(self) -> None:
        """Lets another replica take over at once, where this one holds it.

        Raises:
            KubeError: the API server is not reached, or refuses.
        """
        found = json.loads((await self._api.read(self._path)).body or b"{}")
        if _spec(found).get("holderIdentity") == self._holder:
            await self._write("PUT", self._path, found, "")

    def _free(self, found: dict[str, Any]) -> bool:
        version, spec = found["metadata"]["resourceVersion"], _spec(found)
        if version != self._seen[0]:
            self._seen = (version, self._clock())
        silent = self._clock() - self._seen[1]
        holder = spec.get("holderIdentity") or self._holder
        return holder == self._holder or silent >= (spec.get("leaseDurationSeconds") or self._seconds)

    async def _write(self, method: str, path: str, lease: dict[str, Any], holder: str) -> bool:
        now = dt.datetime.now(dt.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        spec = dict(_spec(lease))
        if spec.get("holderIdentity") != holder:
            spec |= {"acquireTime": now, "leaseTransitions": (spec.get("leaseTransitions") or 0) + 1}
        spec |= {"holderIdentity": holder, "leaseDurationSeconds": self._seconds, "renewTime": now}
        try:
            await self._api.write(method, path, {**lease, "spec": spec})
        except KubeError as error:
            if error.status in (HTTPStatus.CONFLICT, HTTPStatus.NOT_FOUND):  # another one was faster
                return False
            raise
        return holder == self._holder

    @property
    def _path(self) -> str:
        return f"{self._collection}/{self._name}"


def _spec(lease: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = lease.get("spec") or {}
    return spec
