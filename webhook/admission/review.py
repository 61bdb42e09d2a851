"""The review as it comes over the wire: `AdmissionReview` of admission.k8s.io/v1, the parts that are read.

The object's own fields are left as raw JSON, so that a pod of a shape nobody expected still gets its review answered by
uid.
"""

from typing import Annotated, Generic, TypeVar

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


class Metadata(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True, gc=False):
    """The fields of an object's metadata that any view of it has, as they came."""

    name: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    generate_name: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    namespace: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    labels: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    annotations: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class Object(msgspec.Struct, omit_defaults=True, kw_only=True, gc=False):
    """The object under review, without what nobody reads: owners, managed fields, status."""

    metadata: Metadata | None = None
    spec: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _Asked(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    uid: Annotated[str, msgspec.Meta(min_length=1)]
    kind: GroupVersionKind = GroupVersionKind()
    resource: GroupVersionResource = GroupVersionResource()
    sub_resource: str | None = None
    operation: str | None = None
    # The pod's own metadata may leave these two out: the namespace always, the name under `generateName`.
    namespace: str | None = None
    name: str | None = None


class Request(_Asked, frozen=True, rename="camel", kw_only=True):
    """What is asked. `dryRun` is not read: a review has no side effects, so a dry run is answered like any other."""

    # None where there is none, as for a deletion, or nothing of an object's shape.
    object: Object | None = None


_T = TypeVar("_T", bound=_Asked)


class _Review(msgspec.Struct, Generic[_T], frozen=True, rename="camel", kw_only=True):
    api_version: str
    kind: str
    request: _T


class UnreadableReviewError(ValueError):
    """The body is no review that could be answered; the message says what was wrong and where."""


_reviews = msgspec.json.Decoder(_Review[Request])
_reviews_of_anything = msgspec.json.Decoder(_Review[_Asked])


def read_review(body: bytes) -> Request:
    """Decodes a review's request.

    Raises:
        UnreadableReviewError: the body is not JSON, not an AdmissionReview of v1, or has no uid to answer to.
    """
    try:
        review = _decode(body)
    except RecursionError:
        raise UnreadableReviewError("the review is nested too deeply to be read") from None
    except ValueError as error:
        raise UnreadableReviewError(f"the review cannot be read: {error}") from None
    if review.api_version != API_VERSION or review.kind != KIND:
        raise UnreadableReviewError(f"send a {KIND} of {API_VERSION}; its apiVersion and kind say something else")
    return review.request


def _decode(body: bytes) -> _Review[Request]:
    try:
        return _reviews.decode(body)
    except msgspec.ValidationError:
        review = _reviews_of_anything.decode(body)
        return _Review(
            api_version=review.api_version,
            kind=review.kind,
            request=msgspec.convert(review.request, Request, from_attributes=True),
        )
