"""What the webhook adds to the creation of a pod through a real API server, beside one that allows everything.

Pods of 2.5 kB are created with `dryRun=All`, over 1 and over 8 connections, in six ways: where no webhook looks; where
fastload's configuration looks and the pod did not ask; by way of a webhook on the same stack that reads the review and
allows it; by way of one that adds a single annotation, the least that any webhook can change; by way of one that gives
fastload's own answer without a thought, which shows what the API server takes to apply it; and by way of fastload,
which tunes the pod. All are configured as the chart configures fastload, each in a namespace of its own where no other
looks, and share a core; the control plane and the client have the others. Rounds take the ways in turn, forwards and
backwards; figures are medians of rounds.
"""

import asyncio
import base64
import http.client
import json
import statistics
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from copy import deepcopy
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import yaml

from benchmarks.connection import ask
from benchmarks.load import Request, Target
from benchmarks.result import keep
from benchmarks.reviews import reviews
from benchmarks.s3 import running_s3
from benchmarks.servers import fastload, other_cores, reference
from tests.cluster.binaries import ensure_binaries
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from webhook.server.certificates import Files, issue

Json = dict[str, Any]

_CONNECTIONS = (1, 8)
_ROUNDS = 7
_SECONDS = 1.5
_INSTALLED = Path("deploy/install.yaml")
_INJECT = "fastload.dev/inject"
_ANNOTATING = base64.b64encode(b'[{"op":"add","path":"/metadata/annotations/a","value":"b"}]').decode()
_REFERENCES = ("allowed", "annotated", "repeated")
_WEBHOOKS = (*_REFERENCES, "tuned")
_WAYS = ("outside", "not_annotated", *_WEBHOOKS)


class Figures(msgspec.Struct, frozen=True):
    """Over so many connections, by way: milliseconds that half of the creations took at the most, and rates."""

    p50_milliseconds: dict[str, float]
    creates_per_second: dict[str, float]
    # Fastload's added p50, to that of the webhooks that allow, that add an annotation, and that repeat its answer.
    added_p50_ratio: float
    added_p50_ratio_to_annotated: float
    added_p50_ratio_to_repeated: float


class Creator:
    """Creates pods as the cluster's administrator, without keeping them."""

    def __init__(self, cluster: ControlPlane) -> None:
        self._host = urlsplit(cluster.url).netloc
        self._context = cluster.administrator_context()

    def create(self, way: str, seconds: float) -> list[float]:
        """Creates one pod after the other over one connection, and returns how long each took, in seconds.

        Raises:
            RuntimeError: the API server refused one, or it came back otherwise than this way makes them.
        """
        connection = http.client.HTTPSConnection(self._host, context=self._context)
        body = _pod(way)
        took = []
        until = time.perf_counter() + seconds
        while (started := time.perf_counter()) < until:
            tuned = _create(connection, way, body)
            took.append(time.perf_counter() - started)
            if tuned != (way in {"tuned", "repeated"}):
                raise RuntimeError(f"a pod that was to be {way} came back tuned: {tuned}")
        connection.close()
        return took[1:]  # the first connected

    def is_tuned(self) -> bool:
        """Whether the API server calls fastload already."""
        return _create(http.client.HTTPSConnection(self._host, context=self._context), "tuned", _pod("tuned"))


def _create(connection: http.client.HTTPSConnection, way: str, body: bytes) -> bool:
    """Creates one pod, and tells whether it came back tuned."""
    namespace = "tuned" if way == "not_annotated" else way
    path = f"/api/v1/namespaces/{namespace}/pods?dryRun=All"
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    reply = connection.getresponse()
    text = reply.read()
    if reply.status != http.client.CREATED:
        raise RuntimeError(f"the API server refused a pod: {text[:500]!r}")
    return b'"fastload.dev/status":"injected"' in text


def _pod(way: str) -> bytes:
    """Returns the pod that is created, as who makes it would send it."""
    pod: Json = json.loads(reviews("exec", 1, 1)[0])["request"]["object"]
    pod["metadata"] = {
        "generateName": "engine-",
        "labels": pod["metadata"]["labels"],
        "annotations": {} if way == "not_annotated" else {_INJECT: "true"},
    }
    return json.dumps(pod, separators=(",", ":")).encode()


def configurations(targets: Mapping[str, Target], certificate: Files) -> list[Json]:
    """Returns the chart's configuration once for each webhook, with its address and for its namespace.

    Unlike with the chart's, a webhook that cannot be called is an error here.
    """
    documents: list[Json] = list(yaml.safe_load_all(_INSTALLED.read_text()))
    (ours,) = (each for each in documents if each["kind"] == "MutatingWebhookConfiguration")
    authority = base64.b64encode(certificate.authority.read_bytes()).decode()
    made = []
    for way, target in targets.items():
        webhooks = deepcopy(ours["webhooks"])
        for webhook in webhooks:
            webhook["clientConfig"] = {"url": f"https://localhost:{target.port}/mutate", "caBundle": authority}
            webhook["failurePolicy"] = "Fail"
            webhook["namespaceSelector"]["matchExpressions"].append(
                {"key": "kubernetes.io/metadata.name", "operator": "In", "values": [way]}
            )
        made.append({**ours, "metadata": {"name": way}, "webhooks": webhooks})
    return made


def measure(creator: Creator, connections: int) -> Figures:
    """Measures all ways over so many connections."""
    p50s: dict[str, list[float]] = {way: [] for way in _WAYS}
    rates: dict[str, list[float]] = {way: [] for way in _WAYS}
    for number in range(_ROUNDS + 1):
        for way in _WAYS if number % 2 else _WAYS[::-1]:
            with ThreadPoolExecutor(connections) as threads:
                took = list(chain.from_iterable(threads.map(partial(creator.create, way), [_SECONDS] * connections)))
            if number > 0:  # the first warms up
                p50s[way].append(statistics.median(took) * 1e3)
                rates[way].append(len(took) / _SECONDS)
    p50 = {way: statistics.median(each) for way, each in p50s.items()}
    added = {way: p50[way] - p50["outside"] for way in _WAYS}
    rate = {way: statistics.median(each) for way, each in rates.items()}
    ratios = (added["tuned"] / added[way] for way in _REFERENCES)
    return Figures(p50, rate, *ratios)


def main() -> None:
    """Prints a table and keeps the figures; the ratio to be kept is the larger one."""
    binaries = ensure_binaries()
    figures: dict[int, Figures] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(other_cores())
        certificate = issue(["localhost"], folder)
        s3 = stack.enter_context(running_s3())
        cluster = stack.enter_context(ControlPlane(binaries))
        tuning = stack.enter_context(fastload(certificate, folder, {"--s3-endpoint": s3.endpoint}))
        answer = asyncio.run(ask(tuning, Request("/mutate", reviews("exec", 1, 1)[0])))
        given = {
            "allowed": '{"allowed":true}',
            "annotated": json.dumps({"allowed": True, "patchType": "JSONPatch", "patch": _ANNOTATING}),
            "repeated": json.dumps(json.loads(answer)["response"]),
        }
        references = {
            way: stack.enter_context(reference("benchmarks.given", certificate, response))
            for way, response in given.items()
        }
        for namespace in ("outside", *_WEBHOOKS):
            cluster.create_namespace(namespace)
        cluster.apply(*configurations({**references, "tuned": tuning}, certificate))
        creator = Creator(cluster)
        wait_until(creator.is_tuned, what="the API server calls fastload")
        print(f"creations of a pod through the API server, medians of {_ROUNDS} rounds of {_SECONDS:g} s\n")
        print(f"{'connections':>11} {'way':<14} {'p50 ms':>7} {'added ms':>9} {'creates/s':>10}")
        for connections in _CONNECTIONS:
            found = figures[connections] = measure(creator, connections)
            for way, p50 in found.p50_milliseconds.items():
                added = p50 - found.p50_milliseconds["outside"]
                rate = found.creates_per_second[way]
                print(f"{connections:>11} {way:<14} {p50:>7.2f} {added:>9.2f} {rate:>10.0f}", flush=True)
    worst = max(each.added_p50_ratio for each in figures.values())
    print(f"\nadded by fastload, against added by allowing: {worst:.2f} at the most")
    by_connections = {f"connections_{number}": msgspec.to_builtins(each) for number, each in figures.items()}
    keep("api_server", {"added_p50_ratio": worst, **by_connections})


if __name__ == "__main__":
    main()
