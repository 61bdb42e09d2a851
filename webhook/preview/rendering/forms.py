"""The forms in which a preview is had, by the command's `-o` and by the query parameter `output` alike."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from webhook.preview.documents import Document
from webhook.preview.gaps import explain_folders
from webhook.preview.manifest import as_patches
from webhook.preview.notes import Remark, Topic
from webhook.preview.rendering.files import amended_files, as_diff, as_yaml
from webhook.preview.rendering.kustomize import as_component, explain_unnamed
from webhook.preview.run import Outcome


class Form(StrEnum):
    """What a preview is written as, for programs."""

    JSON = "json"
    YAML = "yaml"
    DIFF = "diff"
    PATCH = "patch"
    KUSTOMIZE = "kustomize"


def render(form: Form, documents: Sequence[Document], outcome: Outcome) -> bytes:
    """Writes a preview of documents, in UTF-8; JSON without white space."""
    match form:
        case Form.JSON:
            return msgspec.json.encode(outcome.preview)
        case Form.YAML:
            return as_yaml(amended_files(documents, outcome.manifests)).encode()
        case Form.DIFF:
            return as_diff(amended_files(documents, outcome.manifests)).encode()
        case Form.PATCH:
            return as_patches(outcome.patches).encode()
        case Form.KUSTOMIZE:
            return as_component(outcome.applicable).encode()


def remarks_on(form: Form | None, outcome: Outcome) -> tuple[Remark, ...]:
    """Returns the notes that whoever asked for this form should see beside it; None is text for people."""
    manifests = form in {Form.YAML, Form.DIFF, Form.KUSTOMIZE}
    notes = tuple(each for each in outcome.preview.notes if manifests or each.code is not Topic.ONLY_IN_PODS)
    unnamed = explain_unnamed(outcome.applicable) if form is Form.KUSTOMIZE else ()
    folders = explain_folders(outcome.applicable) if form in {Form.YAML, Form.KUSTOMIZE} else ()
    return (*notes, *unnamed, *folders)
