"""A workload under review: what it is called, its own annotations, and its pod templates."""

from collections.abc import Mapping
from typing import Any

import msgspec

from webhook.admission.review import Request
from webhook.pod.template import Template, find_templates
from webhook.reasons import Code, Reason, because

# No kind that is reviewed has more: a LeaderWorkerSet's leader and workers.
_MOST_TEMPLATES = 2

_decoder = msgspec.json.Decoder(dict[str, Any])


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a workload."""

    kind: str
    namespace: str
    title: str | None
    annotations: Mapping[str, object]
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
        ValueError: it is no JSON object.
        RecursionError: it is nested too deeply.
    """
    document = _decoder.decode(request.object)
    templates = find_templates({**document, "kind": request.kind.kind})[:_MOST_TEMPLATES]
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return Workload(
        kind=request.kind.kind,
        namespace=request.namespace or "",
        title=templates[0].name if templates else request.name,
        annotations=annotations if isinstance(annotations, dict) else {},
        templates=tuple(templates),
    )


def misplaced(workload: Workload, prefix: str) -> tuple[Reason, ...]:
    """Tells of annotations on the workload itself, where nothing reads them, except of those that its pods have too."""
    if not workload.templates:
        return ()
    read = {key for template in workload.templates for key in _annotations(template)}
    lost = [key for key in workload.annotations if key.startswith(f"{prefix}/") and key not in read]
    if not lost:
        return ()
    place = workload.templates[-1].pointer.removeprefix("/").replace("/", ".")
    path = f"{place}.metadata.annotations"
    return (because(Code.MISPLACED_ANNOTATION, annotations=", ".join(lost), kind=workload.kind, path=path),)


def _annotations(template: Template) -> Mapping[str, object]:
    match template.template:
        case {"metadata": {"annotations": dict(annotations)}}:
            return annotations
        case _:
            return {}
