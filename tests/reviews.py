"""Reviews as the API server sends them, posted to the endpoint in memory, and worlds for them to be decided in."""

import asyncio
import base64
import json
from collections.abc import Sequence
from typing import Any

import httpx
import msgspec

from webhook.admission.decision import Outcome
from webhook.admission.endpoint import ReviewEndpoint
from webhook.admission.journal import Journal, StructuredLog
from webhook.admission.reviewer import Reviewer
from webhook.admission.settings import AdmissionSettings
from webhook.lookup.facts import Candidates, InstanceType, Namespace, Shards, Source, Unknown, World
from webhook.patch.operation import Operation
from webhook.pipeline import Pipeline
from webhook.plan.settings import PlanSettings
from webhook.pod.facts import PodFacts
from webhook.pod.settings import PodSettings
from webhook.reasons import Code

Json = dict[str, Any]

UID = "705ab4f5-6393-11e8-b7cc-42010a800002"
GIB = 1024**3

P5 = InstanceType(
    name="p5.48xlarge",
    vcpus=192,
    memory_gib=2048,
    gpus=8,
    gpu_name="H100",
    gpu_memory_gib=80,
    network_baseline_gbps=3200,
    local_nvme_gb=8 * 3800,
    nvlink=True,
    accelerator="nvidia",
)
SEVENTEEN = Shards(count=17, total_bytes=67 * GIB, largest_bytes=4 * GIB)
FIFTY = Shards(count=50, total_bytes=203 * GIB, largest_bytes=5 * GIB)


class World1:
    """A world of one answer, from memory or only after a wait; it serves as the namespaces' source as well."""

    def __init__(
        self,
        shards: Shards | Unknown = SEVENTEEN,
        namespace: Namespace | Unknown | None = None,
        *,
        in_memory: bool = True,
    ) -> None:
        self.shards = shards
        self.namespace = namespace or Namespace(name="serving")
        self.in_memory = in_memory

    def known(self, facts: PodFacts) -> World | None:
        return self._world(facts) if self.in_memory else None

    async def find(self, facts: PodFacts) -> World:
        await asyncio.sleep(0)
        return self._world(facts)

    def known_namespace(self, name: str) -> Namespace | Unknown | None:
        return self._named(name) if self.in_memory else None

    async def find_namespace(self, name: str) -> Namespace | Unknown:
        await asyncio.sleep(0)
        return self._named(name)

    def _named(self, name: str) -> Namespace | Unknown:
        assert isinstance(self.namespace, Unknown) or self.namespace.name == name
        return self.namespace

    def _world(self, facts: PodFacts) -> World:
        shards = self.shards if facts.launch is not None else None
        return World(
            shards=shards, candidates=Candidates(types=(P5,), source=Source.NODE_SELECTOR), namespace=self.namespace
        )


class Ledger:
    """Keeps what the endpoint reports."""

    def __init__(self) -> None:
        self.entries: list[tuple[Outcome, tuple[Code, ...]]] = []

    def observe(self, outcome: Outcome, reasons: Sequence[Code], seconds: float) -> None:
        assert seconds >= 0
        self.entries.append((outcome, tuple(reasons)))


def pipeline(world: World1) -> Pipeline:
    return Pipeline(PodSettings(), PlanSettings(), world)


def endpoint(
    world: World1 | None = None,
    *,
    tuner: Pipeline | None = None,
    ledger: Ledger | None = None,
    deadline_seconds: float = 5.0,
    settings: AdmissionSettings | None = None,
) -> ReviewEndpoint:
    world = world or World1()
    reviewer = Reviewer(
        tuner or pipeline(world), world, annotation_prefix="fastload.dev", deadline_seconds=deadline_seconds
    )
    journal = Journal(ledger or Ledger(), StructuredLog())
    return ReviewEndpoint(reviewer, settings or AdmissionSettings(), journal)


def pod(**annotations: str) -> Json:
    """A pod with an engine; annotations by their name without the prefix, `_` for `-`."""
    named = {f"fastload.dev/{key.replace('_', '-')}": value for key, value in annotations.items()}
    engine = {
        "name": "vllm",
        "image": "vllm/vllm-openai:v0.11.0",
        "command": ["vllm", "serve", "s3://models/qwen"],
        "args": ["--tensor-parallel-size", "2"],
        "resources": {"limits": {"nvidia.com/gpu": "2", "memory": "512Gi"}},
    }
    metadata = {"generateName": "qwen-", "annotations": named}
    selector = {"node.kubernetes.io/instance-type": "p5.48xlarge"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"nodeSelector": selector, "containers": [engine]},
    }


def review(of: object, **request: object) -> Json:
    """An AdmissionReview of the creation of a pod; `request` overrides its fields."""
    fields: Json = {
        "uid": UID,
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "requestKind": {"group": "", "version": "v1", "kind": "Pod"},
        "namespace": "serving",
        "operation": "CREATE",
        "userInfo": {"username": "system:serviceaccount:kube-system:replicaset-controller"},
        "object": of,
        "oldObject": None,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }
    return {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {**fields, **request}}


async def send(app: ReviewEndpoint, method: str, content: bytes, **headers: str) -> httpx.Response:
    """Sends one request to the endpoint as an ASGI server would. An exception of the endpoint's is raised here."""
    all_headers = {
        "content-type": "application/json",
        **{key.replace("_", "-"): value for key, value in headers.items()},
    }
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://webhook") as client:
        return await client.request(method, "/mutate", content=content, headers=all_headers)


def post(app: ReviewEndpoint, content: bytes | Json, **headers: str) -> httpx.Response:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return asyncio.run(send(app, "POST", body, **headers))


def response(app: ReviewEndpoint, content: bytes | Json) -> Json:
    """Posts a review, checks what every answer must have, and returns its response."""
    answered = post(app, content)
    assert answered.status_code == 200, answered.text
    body = answered.json()
    assert (body["apiVersion"], body["kind"]) == ("admission.k8s.io/v1", "AdmissionReview")
    found: Json = body["response"]
    assert found["allowed"] is True
    assert ("patch" in found) == ("patchType" in found)
    return found


def patch_of(answered: Json) -> tuple[Operation, ...]:
    """Decodes an answer's patch; none where it has none."""
    if "patch" not in answered:
        return ()
    assert answered["patchType"] == "JSONPatch"
    return msgspec.json.decode(base64.b64decode(answered["patch"]), type=tuple[Operation, ...])
