"""Annotations on a workload itself, where nothing reads them: the commonest mistake there is."""

from collections.abc import Mapping, Sequence

from webhook.pod.template import Template
from webhook.reasons import Code, Reason, because


def misplaced(templates: Sequence[Template], prefix: str) -> tuple[Reason, ...]:
    """Tells of annotations on the workload of these templates, except of those that one of its pods has too."""
    if not templates:
        return ()
    workload = templates[-1]
    read = {key for template in templates for key in annotations_of(template)}
    lost = [key for key in workload.annotations if key.startswith(f"{prefix}/") and key not in read]
    if not lost:
        return ()
    place = workload.pointer.removeprefix(f"{workload.base}/").replace("/", ".")
    path = f"{place}.metadata.annotations"
    return (because(Code.MISPLACED_ANNOTATION, annotations=", ".join(lost), kind=workload.kind, path=path),)


def annotations_of(template: Template) -> Mapping[str, object]:
    """Returns the annotations that a template's pods will have."""
    match template.template:
        case {"metadata": {"annotations": dict(annotations)}}:
            return annotations
        case _:
            return {}
