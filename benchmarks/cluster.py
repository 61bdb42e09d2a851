"""How the time of a review grows with the cluster: 10,000 nodes, 200 NodePools, 5,000 namespaces.

A cluster is followed by the real look-ups, from an API server of the benchmark's own that lists it page by page and has
no news. Each of the three is grown by itself, and all together, beside a small cluster in the same run. The pods name a
zone, which every NodePool may serve, and no instance type, so that both nodes and NodePools are looked through for
them. A placement is what a pod asks of its node; pods of many templates have one between them. Figures are processor
time, the best of several rounds.
"""

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import msgspec

from benchmarks.result import keep
from benchmarks.reviews import reviews
from benchmarks.wired import Wired, serve
from webhook.admission.endpoint import ReviewEndpoint
from webhook.lookup.cluster import Cluster
from webhook.lookup.stores import NamespaceRules

Json = dict[str, Any]

_ROUNDS = 5
_REVIEWS = 40
_SETTLED_SECONDS = 60.0
# As many objects as the look-ups ask for at a time.
_PAGE = 500
_PINNED = b'"node.kubernetes.io/instance-type":"p5.48xlarge"'
_TYPES = ("p5.48xlarge", "p4d.24xlarge", "g6e.12xlarge", "g5.12xlarge")
# Kinds of node: types, zones and node groups of each.
_ZONES, _GROUPS = 3, 5


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """How much of each a cluster has."""

    nodes: int = 10
    pools: int = 2
    namespaces: int = 10


_SIZES = {
    "small": Size(),
    "10000 nodes": Size(nodes=10_000),
    "200 NodePools": Size(pools=200),
    "5000 namespaces": Size(namespaces=5_000),
    "all of them": Size(nodes=10_000, pools=200, namespaces=5_000),
}


class Figures(msgspec.Struct, frozen=True):
    """Milliseconds until a cluster is known, and microseconds of a review.

    Of a template seen before, of one first seen, and of the first pod of a placement.
    """

    known_milliseconds: float
    seen_before: float
    first_seen: float
    new_placement: float


class Api:
    """An API server that has a cluster of this size, with the pages made ahead."""

    def __init__(self, size: Size) -> None:
        namespaces = [_namespace("serving"), *(_namespace(f"team-{each}") for each in range(1, size.namespaces))]
        objects = {
            "nodes": [_node(number) for number in range(size.nodes)],
            "nodepools": [_pool(number) for number in range(size.pools)],
            "namespaces": namespaces,
        }
        self._pages = {
            (resource, str(start)): _page(found, start)
            for resource, found in objects.items()
            for start in range(0, len(found), _PAGE)
        }

    async def get(self, path: str, query: Mapping[str, str]) -> bytes:
        """Returns a page; the token is where it begins."""
        return self._pages[path.rpartition("/")[2], query.get("continue", "0")]

    async def watch(self, _path: str, _query: Mapping[str, str]) -> AsyncIterator[bytes]:
        """Has no news."""
        await asyncio.Event().wait()
        yield b""


def _page(objects: Sequence[Json], start: int) -> bytes:
    end = start + _PAGE
    metadata = {"resourceVersion": "1", "continue": str(end) if end < len(objects) else ""}
    return msgspec.json.encode({"metadata": metadata, "items": objects[start:end]})


def _node(number: int) -> Json:
    kind = number % (len(_TYPES) * _ZONES * _GROUPS)
    name = f"ip-10-{number >> 16 & 255}-{number >> 8 & 255}-{number & 255}.us-west-2.compute.internal"
    labels = {
        "kubernetes.io/hostname": name,
        "node.kubernetes.io/instance-type": _TYPES[kind % len(_TYPES)],
        "topology.kubernetes.io/region": "us-west-2",
        "topology.kubernetes.io/zone": f"us-west-2{'abc'[kind // len(_TYPES) % _ZONES]}",
        "eks.amazonaws.com/nodegroup": f"group-{kind // len(_TYPES) // _ZONES}",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        **{f"example.com/label-{index}": "value" for index in range(15)},
    }
    taints = [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]
    allocatable = {"cpu": "191", "memory": "2063Gi", "nvidia.com/gpu": "8"}
    return {
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": taints},
        "status": {"allocatable": allocatable},
    }


def _pool(number: int) -> Json:
    requirements = [
        {"key": "karpenter.k8s.aws/instance-family", "operator": "In", "values": ["p5" if number % 2 else "g6e"]},
        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand", "spot"]},
        {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
    ]
    spec = {"requirements": requirements, "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]}
    labels = {"example.com/team": f"team-{number}"}
    return {
        "metadata": {"name": f"pool-{number}"},
        "spec": {"template": {"metadata": {"labels": labels}, "spec": spec}},
    }


def _namespace(name: str) -> Json:
    labels = {"kubernetes.io/metadata.name": name, "pod-security.kubernetes.io/enforce": "privileged"}
    return {"metadata": {"name": name, "labels": labels}}


async def measure(size: Size) -> Figures:
    """Measures reviews in a cluster of this size.

    Raises:
        RuntimeError: the cluster is not known in time.
    """
    cluster = Cluster(Api(size), NamespaceRules())
    started = time.thread_time()
    await cluster.start()
    if not await cluster.settled(_SETTLED_SECONDS) or cluster.problems:
        raise RuntimeError(f"the cluster was not known in time: {cluster.problems}")
    known = time.thread_time() - started
    gc.collect()
    gc.freeze()  # as the server does once it is ready
    endpoint = Wired(cluster).endpoint()
    pods = reviews("exec", _REVIEWS * (2 * _ROUNDS + 1), 1)
    one_zone = [_in_zone(pod, 0) for pod in pods[: _REVIEWS * (_ROUNDS + 1)]]
    other_zones = [_in_zone(pod, number) for number, pod in enumerate(pods[_REVIEWS * (_ROUNDS + 1) :], 1)]
    await _microseconds(endpoint, one_zone[:_REVIEWS])
    figures = Figures(
        known * 1e3,
        await _best(endpoint, one_zone[:_REVIEWS] * _ROUNDS),
        await _best(endpoint, one_zone[_REVIEWS:]),
        await _best(endpoint, other_zones),
    )
    await cluster.close()
    gc.unfreeze()
    return figures


def _in_zone(pod: bytes, number: int) -> bytes:
    return pod.replace(_PINNED, f'"topology.kubernetes.io/zone":"zone-{number}"'.encode())


async def _best(endpoint: ReviewEndpoint, pods: Sequence[bytes]) -> float:
    """Returns the microseconds of a review, from the fastest of the rounds that the pods make."""
    rounds = (pods[start : start + _REVIEWS] for start in range(0, len(pods), _REVIEWS))
    return min([await _microseconds(endpoint, each) for each in rounds])


async def _microseconds(endpoint: ReviewEndpoint, pods: Sequence[bytes]) -> float:
    started = time.thread_time()
    for pod in pods:
        await serve(endpoint, pod)
    return (time.thread_time() - started) / len(pods) * 1e6


async def main() -> None:
    """Prints a table and keeps the figures."""
    print("processor time by cluster: ms until it is known, us of a review\n")
    print(f"{'cluster':<16} {'known ms':>9} {'seen before':>12} {'first seen':>12} {'new placement':>14}")
    figures = {}
    for name, size in _SIZES.items():
        found = figures[name] = await measure(size)
        print(
            f"{name:<16} {found.known_milliseconds:>9.1f} {found.seen_before:>12.1f} {found.first_seen:>12.1f} "
            f"{found.new_placement:>14.1f}",
            flush=True,
        )
    keep("cluster", {name.replace(" ", "_"): msgspec.to_builtins(found) for name, found in figures.items()})


if __name__ == "__main__":
    asyncio.run(main())
