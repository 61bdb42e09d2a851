"""The review as it comes over the wire: `AdmissionReview` of admission.k8s.io/v1, the parts that are read.

The object is left as raw JSON, so that a pod of a shape nobody expected still gets its review answered by uid.
"""

from typing import Annotated

import msgspec

API_VERSION = "admission.k8s.io/v1"
KIND = "AdmissionReview"


class GroupVersionKind(msgspec.Struct, frozen=True):
    """The kind of the object under review."""

    group: str = ""
    version: str = ""
    kind: str = ""


class GroupVersionResource(msgspec.Struct, frozen=True):
    """The resource that the request goes to."""

    group: str = ""
    version: str = ""
    resource: str = ""


class Request(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What is asked. `dryRun` is not read: a review has no side effects, so a dry run is answered like any other."""

    uid: Annotated[str, msgspec.Meta(min_length=1)]
    kind: GroupVersionKind = GroupVersionKind()
    resource: GroupVersionResource = GroupVersionResource()
    sub_resource: str | None = None
    operation: str | None = None
    # The pod's own metadata may leave these two out: the namespace always, the name under `generateName`.
    namespace: str | None = None
    name: str | None = None
    object: msgspec.Raw = msgspec.Raw(b"null")


class _Review(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    api_version: str
    kind: str
    request: Request


class UnreadableReviewError(ValueError):
    """The body is no review that could be answered; the message says what was wrong and where."""


_reviews = msgspec.json.Decoder(_Review)


def read_review(body: bytes) -> Request:
    """Decodes a review's request.

    Raises:
        UnreadableReviewError: the body is not JSON, not an AdmissionReview of v1, or has no uid to answer to.
    """
    try:
        review = _reviews.decode(body)
    except RecursionError:
        raise UnreadableReviewError("the review is nested too deeply to be read") from None
    except ValueError as error:
        raise UnreadableReviewError(f"the review cannot be read: {error}") from None
    if (review.api_version, review.kind) != (API_VERSION, KIND):
        raise UnreadableReviewError(f"send a {KIND} of {API_VERSION}; its apiVersion and kind say something else")
    return review.request
