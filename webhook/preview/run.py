"""A preview: documents through the same pipeline as a review, every template in turn."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from webhook.patch.operation import Operation, rebase
from webhook.pipeline import Pipeline
from webhook.pod.misplaced import misplaced
from webhook.pod.template import Template, find_templates
from webhook.pod.view import Pod
from webhook.preview.applicable import explain_inapplicable, is_applicable
from webhook.preview.contract import Placed, Preview, Source, describe
from webhook.preview.documents import Document, UnreadableInputError
from webhook.preview.faults import explain_pod
from webhook.preview.gaps import explain_gaps
from webhook.preview.indirect import explain_indirect
from webhook.preview.lines import line_of
from webhook.preview.manifest import apply
from webhook.preview.parts import is_tuned_already

# Each takes its own place in the memory, and a whole list is copied for each pod that stands in it.
_MAX_PODS = 2_000
# What `kubectl apply` would take for a manifest that names none, unless it is told another.
DEFAULT_NAMESPACE = "default"


class Outcome(msgspec.Struct, frozen=True):
    """A preview, and what manifests are made of; tuples of documents are in the order of the input."""

    preview: Preview
    # All operations of each document.
    patches: tuple[tuple[Operation, ...], ...]
    # What goes into a manifest that is applied, and each document as it is with that.
    applicable: tuple[Placed, ...]
    manifests: tuple[dict[str, Any], ...]

    def __repr__(self) -> str:
        # asyncio.run writes its result out as it ends; of a large manifest that takes longer than the preview.
        return f"Outcome({len(self.manifests)} documents)"

    def without_patched(self) -> "Outcome":
        """Returns the outcome with a preview that leaves the patched documents out."""
        return msgspec.structs.replace(self, preview=self.preview.without_patched())


async def run(
    documents: Sequence[Document],
    pipeline: Pipeline,
    *,
    namespace: str = DEFAULT_NAMESPACE,
    usd_per_hour: float | None = None,
) -> Outcome:
    """Takes every pod template of the documents through the pipeline, look-ups side by side.

    Args:
        documents: What was given.
        pipeline: The way that a review goes as well.
        namespace: Of pods whose manifest names none.
        usd_per_hour: Price of a node in an estimate, in place of the published ones.

    Raises:
        UnreadableInputError: a template that is no pod, or too many of them.
    """
    found = _found(documents)
    placing = [
        _place(document, template, pipeline, template.namespace or namespace, usd_per_hour)
        for document, template in found
    ]
    placed = _with_misplaced(found, await asyncio.gather(*placing))
    applicable = tuple(each for each in placed if is_applicable(each))
    inapplicable = (note for each in placed for note in explain_inapplicable(each))
    notes = (*explain_indirect(documents), *inapplicable, *explain_gaps(placed))
    return Outcome(
        Preview(tuple(describe(each) for each in placed), notes),
        _operations(documents, placed),
        applicable,
        tuple(
            apply(document.value, patch)
            for document, patch in zip(documents, _operations(documents, applicable), strict=True)
        ),
    )


def _found(documents: Sequence[Document]) -> Sequence[tuple[Document, Template]]:
    """Returns every template with its document.

    Raises:
        UnreadableInputError: there are too many.
    """
    found: list[tuple[Document, Template]] = []
    for document in documents:
        found += ((document, template) for template in _templates(document))
        if len(found) > _MAX_PODS:
            problem = f"more than {_MAX_PODS} pods up to here; preview them in parts"
            raise UnreadableInputError(document.file, problem, document=document.number)
    return found


def _templates(document: Document) -> Iterator[Template]:
    """Finds the templates of a document, or of the object that a review carries."""
    match document.value:
        case {"kind": "AdmissionReview", "request": {"object": dict(reviewed)} as request}:
            for template in find_templates(reviewed):
                namespace = template.namespace or request.get("namespace")
                base, pointer = (f"/request/object{each}" for each in (template.base, template.pointer))
                yield msgspec.structs.replace(template, pointer=pointer, base=base, namespace=namespace)
        case value:
            yield from find_templates(value)


def _with_misplaced(found: Sequence[tuple[Document, Template]], placed: Sequence[Placed]) -> tuple[Placed, ...]:
    """Tells each pod of the annotations that its workload has where nothing reads them."""
    made: list[Placed] = []
    of_workloads = groupby(zip(found, placed, strict=True), lambda each: (id(each[0][0]), each[0][1].base))
    for _, workload in of_workloads:
        members = list(workload)
        prefix = members[0][1].tuned.facts.annotations.prefix
        reasons = misplaced([template for (_, template), _ in members], prefix)
        made += (msgspec.structs.replace(each, misplaced=reasons) for _, each in members)
    return tuple(made)


async def _place(
    document: Document, template: Template, pipeline: Pipeline, namespace: str, usd_per_hour: float | None
) -> Placed:
    try:
        pod = msgspec.convert(template.template, Pod)
    except msgspec.ValidationError as error:
        title = f"{template.kind} {template.name or ''}".strip()
        told, place = explain_pod(error, template.template)
        problem = f"{title}: the pod at {template.pointer or '/'} cannot be read: {told}"
        path = f"{template.pointer}{place}"
        line = line_of(document, path)
        raise UnreadableInputError(document.file, problem, document=document.number, line=line, path=path) from None
    facts = pipeline.read(pod, namespace=namespace, ambient=template.ambient)
    tuned = pipeline.tune(facts, pipeline.known(facts) or await pipeline.find(facts))
    patch = rebase(tuned.patch, template.pointer)
    return Placed(
        source=Source(
            file=document.file,
            document=document.number,
            kind=template.kind,
            name=template.name,
            path=template.pointer,
        ),
        document=document,
        tuned=tuned,
        estimate=pipeline.estimate(tuned, usd_per_hour=usd_per_hour),
        patch=patch,
        patched=apply(document.value, patch),
        already_tuned=is_tuned_already(template, tuned),
    )


def _operations(documents: Sequence[Document], placed: Sequence[Placed]) -> tuple[tuple[Operation, ...], ...]:
    """Returns the operations of each document, in the order of the templates."""
    found: dict[int, list[Operation]] = {id(document): [] for document in documents}
    for each in placed:
        found[id(each.document)].extend(each.patch)
    return tuple(tuple(found[id(document)]) for document in documents)
