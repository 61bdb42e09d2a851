"""A workload under review: what it is called, and its pod templates."""

from typing import Any

import msgspec

from webhook.admission.review import Request
from webhook.pod.template import Template, find_templates

# No kind that is reviewed has more: a LeaderWorkerSet's leader and workers.
_MOST_TEMPLATES = 2

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(dict[str, Any])


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a workload."""

    kind: str
    namespace: str
    title: str | None
    templates: tuple[Template, ...]

    @property
    def name(self) -> str:
        """Kind and name, as kubectl takes them."""
        return f"{self.kind}/{self.title or ''}"

    def place(self, template: Template) -> str:
        """Returns what tells a template from the workload's others; "" where there are none."""
        return template.pointer.rpartition("/")[2] if len(self.templates) > 1 else ""


def read_workload(request: Request) -> Workload:
    """Reads the object under review as the kind that the request says it is.

    Raises:
        ValueError: it is not of an object's shape.
        RecursionError: it is nested too deeply.
    """
    if request.object is None:
        raise ValueError("an object of a workload's shape is missing")
    document = _decoder.decode(_encoder.encode(request.object))
    templates = find_templates({**document, "kind": request.kind.kind})[:_MOST_TEMPLATES]
    return Workload(
        kind=request.kind.kind,
        namespace=request.namespace or "",
        title=templates[0].name if templates else request.name,
        templates=tuple(templates),
    )
