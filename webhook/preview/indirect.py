"""Kinds whose controllers write the pods themselves, so that their manifests show no pod to preview."""

from collections.abc import Iterator, Sequence
from typing import Any

from webhook.preview.documents import Document
from webhook.preview.notes import Remark, Topic

# KServe, NVIDIA Dynamo and NIM, the vLLM production stack.
_KINDS = frozenset(
    {
        "InferenceService",
        "LLMInferenceService",
        "ServingRuntime",
        "ClusterServingRuntime",
        "DynamoGraphDeployment",
        "DynamoComponentDeployment",
        "NIMService",
        "VLLMRuntime",
    }
)


def explain_indirect(documents: Sequence[Document]) -> Iterator[Remark]:
    """Yields a note for each object whose pods are to be seen only where its controller makes them."""
    for document in documents:
        for each in _objects(document.value):
            if _is_indirect(each):
                code, text = Topic.CONTROLLER_MAKES_PODS, _sentence(each)
                yield Remark(code=code, text=text, file=document.file, document=document.number)


def _objects(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    items = value.get("items")
    if isinstance(items, list):
        yield from (item for item in items if isinstance(item, dict))
    else:
        yield value


def _is_indirect(value: dict[str, Any]) -> bool:
    kind = value.get("kind")
    return isinstance(kind, str) and kind in _KINDS


def _sentence(value: dict[str, Any]) -> str:
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return (
        f"{value['kind']} {name or '(unnamed)'} has no pod template: its controller makes the pods, and they are tuned "
        "as they are created. Preview the Deployment that it made: kubectl get deployment NAME -o yaml | fastload "
        "preview -f -"
    )
