"""What may be asked of `POST /preview`: from where, in which form, with which query parameters, and to what end."""

from collections.abc import Sequence
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated

import msgspec
from starlette.datastructures import Headers, QueryParams

from webhook.lookup.offline import Assumed
from webhook.preview.assumptions import AssumptionError, Given, read_assumed
from webhook.preview.rendering.forms import Form
from webhook.preview.run import DEFAULT_NAMESPACE
from webhook.server.origins import ForeignPageError, check_origin
from webhook.server.problems import CLOSE, ProblemError

MEDIA_TYPES = (
    "application/yaml",
    "application/json",
    "application/x-yaml",
    "text/yaml",
    "text/x-yaml",
    "text/plain",
)
MADE_TYPES = {
    Form.JSON: "application/json",
    Form.YAML: "application/yaml",
    Form.DIFF: "text/x-diff",
    Form.PATCH: "application/x-ndjson",
    Form.KUSTOMIZE: "application/yaml",
}


class Outcome(StrEnum):
    """What became of a request for a preview."""

    PREVIEWED = "previewed"
    REFUSED = "refused"
    BUSY = "busy"
    LATE = "late"
    FAILED = "failed"


class Query(msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The flags of `fastload preview` as query parameters.

    There is no `s3-endpoint`: whoever may send a preview must not choose whom the server calls.
    """

    offline: Annotated[bool, msgspec.Meta(description="Make no look-up in S3 and none in the cluster.")] = False
    shards: Annotated[
        Annotated[int, msgspec.Meta(ge=1)] | None,
        msgspec.Meta(description="Shard files of every model, instead of a listing; with `model-size`."),
    ] = None
    model_size: Annotated[
        str | None, msgspec.Meta(description="Size of every model, such as `67Gi`; with `shards`.")
    ] = None
    instance_type: Annotated[
        tuple[str, ...],
        msgspec.Meta(description="As if every pod that has no such annotation had it; a comma list, may be repeated."),
    ] = ()
    namespace: Annotated[
        str,
        msgspec.Meta(
            description="Namespace of the pods whose manifest names none.",
            pattern="^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
            max_length=63,
        ),
    ] = DEFAULT_NAMESPACE
    namespace_labels: Annotated[
        tuple[str, ...],
        msgspec.Meta(description="Of every pod's namespace: `KEY=VALUE`, a comma list, may be repeated."),
    ] = ()
    price_per_hour: Annotated[
        Annotated[float, msgspec.Meta(gt=0, le=100_000)] | None,
        msgspec.Meta(description="Price of a node in USD, for the estimate, instead of the published ones."),
    ] = None
    output: Annotated[
        Form,
        msgspec.Meta(
            description="What to answer with: `json`; `yaml`, the manifest with what fastload adds; `diff`, what that "
            "changes; `patch`, a JSON patch for each document, one a line; `kustomize`, a component."
        ),
    ] = Form.JSON
    patched: Annotated[
        bool, msgspec.Meta(description="Whether `json` has each pod's whole document with its patch applied.")
    ] = True

    def assumed(self) -> Assumed:
        """Reads what the parameters declare.

        Raises:
            AssumptionError: one is not understood, or lacks the other that it needs.
        """
        return read_assumed(
            Given(
                shards=self.shards,
                model_size=self.model_size,
                instance_types=self.instance_type,
                namespace_labels=self.namespace_labels,
            )
        )


_LISTS = ("instance-type", "namespace-labels")
_PARAMETERS = tuple(field.encode_name for field in msgspec.structs.fields(Query))


class Asked(msgspec.Struct, frozen=True):
    """How a preview is to be made."""

    offline: bool
    assumed: Assumed
    namespace: str = DEFAULT_NAMESPACE
    price_per_hour: float | None = None
    output: Form = Form.JSON
    patched: bool = True


def check_headers(headers: Headers, names: Sequence[str]) -> None:
    """Refuses what another site's page sends, and what is no manifest.

    Raises:
        ProblemError: either of them.
    """
    try:
        check_origin(headers, names)
    except ForeignPageError as error:
        raise ProblemError.of(HTTPStatus.FORBIDDEN, str(error), CLOSE) from None
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in MEDIA_TYPES:
        raise ProblemError.of(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"the body is sent as {media_type or 'nothing'}; send a manifest with Content-Type: application/yaml or "
            "application/json",
            CLOSE,
        )
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise ProblemError.of(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send the manifest without Content-Encoding", CLOSE)


def read_query(given: QueryParams) -> Asked:
    """Reads the query parameters; `model_size` is read as `model-size`, and so on.

    Raises:
        ProblemError: there is no such parameter, or its value is not understood.
    """
    try:
        query = msgspec.convert(_gathered(given), Query, strict=False)
        return Asked(query.offline, query.assumed(), query.namespace, query.price_per_hour, query.output, query.patched)
    except (msgspec.ValidationError, AssumptionError) as error:
        raise ProblemError.of(HTTPStatus.UNPROCESSABLE_ENTITY, f"query: {error}", CLOSE) from None


def _gathered(given: QueryParams) -> dict[str, object]:
    """Returns each parameter's value; a list where it may be repeated.

    Raises:
        AssumptionError: there is no parameter of that name, or it is given again and may not be.
    """
    gathered: dict[str, list[str]] = {}
    for name, value in given.multi_items():
        known = name.replace("_", "-")
        if known not in _PARAMETERS:
            raise AssumptionError(f"there is no parameter {name!r}; there are {', '.join(_PARAMETERS)}")
        gathered.setdefault(known, []).append(value)
        if len(gathered[known]) > 1 and known not in _LISTS:
            raise AssumptionError(f"{known} is given more than once")
    return {name: values if name in _LISTS else values[0] for name, values in gathered.items()}
