"""A cluster in memory: objects, versions that conflict, clocks that are set, and replicas that are killed anywhere."""

import base64
import copy
import datetime as dt
import json
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from tests.certificates.make import NAME, START
from webhook.certificates.api import JSON, Answer
from webhook.certificates.cluster import CertificateCluster
from webhook.certificates.issuing import Leaf
from webhook.certificates.keeper import Keeper
from webhook.certificates.kept import Kept, decode
from webhook.certificates.lease import Lease
from webhook.certificates.outcomes import Step, Writing
from webhook.certificates.settings import CertificateSettings
from webhook.certificates.trust import Authorities, parse, trusted
from webhook.lookup.watching import KubeError

Json = dict[str, Any]
T = TypeVar("T")

POLL, SETTLE, LIFE = 5.0, 30.0, 3600.0
SETTINGS = CertificateSettings(
    certificate_hours=LIFE / 3600, certificate_settle_seconds=SETTLE, certificate_poll_seconds=POLL
)
TO_RENEWAL = LIFE * 2 / 3
# Looks after which every step of a renewal has been taken.
ENOUGH = int(SETTLE / POLL) + 4
SECRET = "/api/v1/namespaces/fastload/secrets/fastload-tls"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/fastload/leases"
LEASE = f"{LEASES}/fastload-tls"
_REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
MUTATING = f"{_REGISTRATION}/mutatingwebhookconfigurations/fastload"
VALIDATING = f"{_REGISTRATION}/validatingwebhookconfigurations/fastload"
EVERY = (MUTATING, VALIDATING)


class KilledError(BaseException):
    """The replica is gone, in the middle of a call."""


class World:
    """The API server and its clock."""

    def __init__(self) -> None:
        self.seconds = 0.0
        # How far its clock is off.
        self.offset = 0.0
        self.objects: dict[str, Json] = {}
        self.calls: list[tuple[str, str]] = []
        # At which call, the next one being 0, its caller is killed; and whether the call is made all the same.
        self.fuse: tuple[int, bool] | None = None
        # What is answered instead, by method and path.
        self.refusals: dict[tuple[str, str], int | None] = {}
        self._version = 0
        for path in (MUTATING, VALIDATING):
            self.put(path, {"webhooks": [{"name": f"{number}", "clientConfig": {}} for number in (0, 1)]})

    @property
    def now(self) -> dt.datetime:
        return START + dt.timedelta(seconds=self.seconds + self.offset)

    @property
    def kept(self) -> Kept:
        return decode(self.objects.get(SECRET, {}).get("data"))

    def put(self, path: str, content: Json) -> None:
        self._version += 1
        metadata = {**content.get("metadata", {}), "resourceVersion": str(self._version)}
        self.objects[path] = copy.deepcopy({**content, "metadata": metadata})

    def bundles(self, path: str) -> tuple[Authorities, ...]:
        clients = (webhook["clientConfig"] for webhook in self.objects[path]["webhooks"])
        return tuple(parse(base64.b64decode(client.get("caBundle", ""))) for client in clients)

    def tell(self, path: str, bundle: bytes) -> None:
        """Somebody else writes the `caBundle`s."""
        configuration = self.objects[path]
        for webhook in configuration["webhooks"]:
            webhook["clientConfig"]["caBundle"] = base64.b64encode(bundle).decode()
        self.put(path, configuration)

    async def read(self, path: str) -> Answer:
        self._burn("GET", path)
        found = self.objects.get(path)
        self._burn_after()
        return Answer(json.dumps(found).encode() if found else None, self.now)

    async def write(self, method: str, path: str, content: object, _media: str = JSON) -> None:
        self._burn(method, path)
        path = path.partition("?")[0]
        if method == "POST":
            assert isinstance(content, dict)
            path = f"{path}/{content['metadata']['name']}"
            self._require(409, path not in self.objects)
            self.put(path, content)
        elif method == "PUT":
            assert isinstance(content, dict)
            self._require(404, path in self.objects)
            self._require_version(path, content["metadata"]["resourceVersion"])
            self.put(path, content)
        else:
            assert isinstance(content, list)
            self._patch(path, content)
        self._burn_after()

    def _patch(self, path: str, changes: Sequence[Json]) -> None:
        self._require(404, path in self.objects)
        version, *bundles = changes
        self._require_version(path, version["value"])
        configuration = copy.deepcopy(self.objects[path])
        for change in bundles:
            _, webhooks, number, *rest = change["path"].split("/")
            assert (webhooks, rest) == ("webhooks", ["clientConfig", "caBundle"])
            configuration["webhooks"][int(number)]["clientConfig"]["caBundle"] = change["value"]
        self.put(path, configuration)

    def _burn(self, method: str, path: str) -> None:
        self.calls.append((method, path.partition("?")[0]))
        if self.fuse and self.fuse[0] == 0 and not self.fuse[1]:
            self.fuse = None
            raise KilledError
        if (method, path.partition("?")[0]) in self.refusals:
            raise KubeError("refused", self.refusals[method, path.partition("?")[0]])

    def _burn_after(self) -> None:
        if self.fuse and self.fuse[0] == 0:
            self.fuse = None
            raise KilledError
        if self.fuse:
            self.fuse = (self.fuse[0] - 1, self.fuse[1])

    def _require_version(self, path: str, version: str) -> None:
        self._require(409, self.objects[path]["metadata"]["resourceVersion"] == version)

    def _require(self, status: int, holds: bool) -> None:  # noqa: FBT001 (a condition, as in an assertion)
        if not holds:
            raise KubeError("refused", status)


class Replica:
    """A replica that keeps and serves; and what it was told."""

    def __init__(self, world: World, name: str, settings: CertificateSettings = SETTINGS) -> None:
        self.world = world
        self.leaf: Leaf | None = None
        self.ready = False
        self.alive = True
        self.served: list[Leaf] = []
        self.steps: list[Step] = []
        self.written: list[tuple[Writing, str]] = []
        self.problem: str | None = None
        lease = Lease(world, (LEASES, "fastload-tls"), name, POLL, lambda: world.seconds)
        cluster = CertificateCluster(world, settings)
        self.keeper = Keeper(cluster, lease, settings, self, lambda: world.seconds)

    def serve(self, leaf: Leaf) -> None:
        self.leaf = leaf
        self.served.append(leaf)

    def judge(self, *, trusted: bool) -> None:
        self.ready = trusted

    def stepped(self, step: Step) -> None:
        self.steps.append(step)

    def wrote(self, outcome: Writing, configuration: str) -> None:
        self.written.append((outcome, configuration))

    def failed(self, problem: str | None) -> None:
        self.problem = problem

    def is_trusted(self, *bundles: Authorities) -> bool:
        """Whether the API server takes the certificate that this replica serves."""
        return self.leaf is not None and all(trusted(self.leaf, each, [NAME], self.world.now) for each in set(bundles))

    def turn(self) -> bool:
        """Looks once; tells whether a step was taken."""
        return drive(self.keeper.round())

    def turns(self, count: int) -> None:
        """Looks so many times, a poll apart."""
        for _ in range(count):
            self.turn()
            self.world.seconds += POLL


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs what never waits, as nothing does in this world."""
    try:
        coroutine.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    raise AssertionError("it waits for something")


def installed() -> tuple[World, Replica]:
    """A cluster in which one replica has kept the certificate for a while."""
    world = World()
    replica = Replica(world, "one")
    replica.turns(ENOUGH)
    return world, replica
