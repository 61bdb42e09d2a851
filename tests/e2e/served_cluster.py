"""A cluster where fastload is installed by its chart, with several replicas behind its Service, and pods are made."""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.deploy.rendering import CHART
from tests.e2e.balancer import Balancer
from tests.e2e.helm import Helm
from tests.e2e.installation import NAMESPACE
from tests.e2e.namespace import Namespace, RefusedError
from tests.e2e.pods import STATUS, annotation, engine_pod
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook

Json = dict[str, Any]

_RELEASE = ("fastload", str(CHART), "--namespace", NAMESPACE)
# What it takes on a small cluster: for an EndpointSlice to reach every kube-proxy, and for a kubelet to look again.
_FORGETS_S = 0.5
_NOTICES_S = 1.0
_OURS = "app.kubernetes.io/instance=fastload"


class ServedCluster:
    """fastload installed by its chart, its replicas behind the Service, and whoever makes pods."""

    def __init__(self, control_plane: ControlPlane, client: httpx.Client, s3: S3, folder: Path) -> None:
        self.control_plane = control_plane
        self.helm = Helm(control_plane, folder)
        self._client = client
        self._s3 = s3
        self._folder = folder
        self._model: Model = s3.published_model()
        self._resources = ExitStack()
        self.replicas: list[Webhook] = []

    def install(self, values: Json, *arguments: str) -> None:
        """Installs or upgrades the release."""
        self.helm("upgrade", "--install", *_RELEASE, *arguments, values=values)

    def run(self, number: int) -> list[Webhook]:
        """Runs so many replicas more, as the Deployment describes them now; the Service knows of none of them yet."""
        more = []
        for _ in range(number):
            folder = self._folder / f"replica-{len(self.replicas)}"
            folder.mkdir()
            # Long enough for the connections that there are to be ended by their next answer.
            settings = {"FASTLOAD_S3_ENDPOINT": self._s3.endpoint, "FASTLOAD_DRAIN_SECONDS": "2"}
            host = f"127.98.{random.randint(0, 255)}.{random.randint(1, 254)}"
            webhook = Webhook(self.control_plane, settings, folder, host)
            self.replicas.append(webhook)
            more.append(webhook)
        return more

    def serve(self, replicas: list[Webhook]) -> None:
        """Waits until these are ready, and has the Service lead to them alone."""
        for replica in replicas:
            replica.wait_until_ready()
        self.balancer.backends = tuple(replica.address for replica in replicas)

    def retire(self, replicas: list[Webhook]) -> float:
        """Ends replicas as a Deployment does, and returns how long the slowest took, in seconds.

        The Service hears of it when the process does, and takes a moment to forget it: connections come meanwhile.
        """
        going = {replica.address for replica in replicas}
        left = tuple(address for address in self.balancer.backends if address not in going)
        forget = threading.Timer(_FORGETS_S, setattr, (self.balancer, "backends", left))
        began = time.monotonic()
        forget.start()
        with ThreadPoolExecutor(len(replicas)) as threads:
            list(threads.map(Webhook.stop, replicas))
        forget.join()
        return time.monotonic() - began

    def kill(self, replica: Webhook) -> None:
        """Kills a replica; the Service forgets it once its kubelet has noticed."""
        replica.kill()
        time.sleep(_NOTICES_S)
        self.balancer.backends = tuple(each for each in self.balancer.backends if each != replica.address)

    def listen(self) -> None:
        """Begins to listen where the Service is."""
        service = self.control_plane.get("service", "fastload", "--namespace", NAMESPACE)["spec"]
        self.balancer = self._resources.enter_context(Balancer((service["clusterIP"], service["ports"][0]["port"])))

    def close(self) -> None:
        with ThreadPoolExecutor() as threads:
            list(threads.map(Webhook.close, self.replicas))
        self._resources.close()

    def bundles(self) -> set[str]:
        """The `caBundle`s of all webhooks, as they are in the configurations."""
        found = self.control_plane.get("mutatingwebhookconfiguration,validatingwebhookconfiguration", "-l", _OURS)
        clients = [webhook["clientConfig"] for each in found["items"] for webhook in each["webhooks"]]
        assert len(clients) == 4
        return {client.get("caBundle", "") for client in clients}

    def is_tuned(self) -> bool:
        """Whether a pod that asks is given settings."""
        namespace = Namespace(self.control_plane, self._client, "default")
        return annotation(namespace.create_pod(engine_pod(self._model), dry_run=True), STATUS) == "injected"

    def failed_open(self) -> float:
        """How many calls of a webhook the API server has given up on, as it counts them itself."""
        text = self._client.get("/metrics").raise_for_status().text
        families = text_string_to_metric_families(text)
        name = "apiserver_admission_webhook_fail_open_count"
        return sum(sample.value for each in families if each.name == name for sample in each.samples)

    @contextmanager
    def pods_being_made(self) -> Iterator["Counter[str | None]"]:
        """Makes pods all the while, some of them to stay, and gives how many there were by their status."""
        statuses: Counter[str | None] = Counter()
        ended = threading.Event()
        namespace = Namespace.create(self.control_plane, self._client)

        def make(maker: int) -> None:
            for number in count():
                if ended.is_set():
                    return
                try:
                    pod = namespace.create_pod(engine_pod(self._model, f"qwen-{maker}-{number}"), dry_run=maker > 0)
                    statuses[annotation(pod, STATUS)] += 1
                except RefusedError:
                    statuses["refused"] += 1

        makers = [threading.Thread(target=make, args=(number,)) for number in range(3)]
        for maker in makers:
            maker.start()
        try:
            yield statuses
        finally:
            ended.set()
            for maker in makers:
                maker.join()
