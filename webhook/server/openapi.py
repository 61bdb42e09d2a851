"""How OpenAPI describes `POST /preview`: the schemas are made from the same Structs that read and write it."""

from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI

from webhook.preview.contract import Preview
from webhook.server.preview_request import MADE_TYPES, MEDIA_TYPES, Query
from webhook.server.problems import PROBLEM_TYPE, Problem

_Json = dict[str, Any]
_PLACE = "#/components/schemas/{name}"
_PROBLEMS = {
    HTTPStatus.BAD_REQUEST: "The body is no manifest; `document`, `line` and `path` say where.",
    HTTPStatus.FORBIDDEN: "The request comes from another site's page.",
    HTTPStatus.REQUEST_TIMEOUT: "The body took too long to arrive.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The manifest, or what would be answered, is too large.",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The body is neither YAML nor JSON by its Content-Type.",
    HTTPStatus.UNPROCESSABLE_ENTITY: "A query parameter is not understood.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "A fault of fastload's own.",
    HTTPStatus.SERVICE_UNAVAILABLE: "As many previews as may are under way.",
    HTTPStatus.GATEWAY_TIMEOUT: "The preview took too long.",
}


def describe_preview(app: FastAPI) -> _Json:
    """Returns what FastAPI is to say of the route, and has `app` carry the schemas that this refers to."""
    (preview, problem), components = msgspec.json.schema_components((Preview, Problem), ref_template=_PLACE)
    parameters, of_parameters = _parameters()
    _carry(app, components | of_parameters)
    return {
        "operation_id": "preview",
        "summary": "What fastload would do to the pods of a manifest",
        "description": "Takes a pod, any workload with a pod template, a list, an admission review, or several of "
        "these. The answer is that of `fastload preview`, by the look-ups that reviews go by; `output` is its `-o`. "
        "What is no JSON has its notes in `Warning` headers.",
        "status_code": int(HTTPStatus.OK),
        "openapi_extra": {
            "parameters": parameters,
            "requestBody": {
                "description": "YAML or JSON, in UTF-8.",
                "required": True,
                "content": {media_type: {"schema": _body(media_type)} for media_type in MEDIA_TYPES},
            },
            "responses": {
                "200": {
                    "description": "Every pod template met, in the order of the input; or what was asked for instead.",
                    "content": {made: {"schema": {"type": "string"}} for made in MADE_TYPES.values()}
                    | {"application/json": {"schema": preview}},
                },
                **{str(int(status)): _answer(said, PROBLEM_TYPE, problem) for status, said in _PROBLEMS.items()},
            },
        },
    }


def _body(media_type: str) -> _Json:
    """Returns what one document is: empty is fine too, and plain text has no form that OpenAPI could tell."""
    return {"type": "string"} if media_type == "text/plain" else {"type": ["object", "null"]}


def _answer(description: str, media_type: str, schema: _Json) -> _Json:
    return {"description": description, "content": {media_type: {"schema": schema}}}


def _parameters() -> tuple[list[_Json], _Json]:
    """Returns the parameters, and the schemas that they refer to."""
    _, components = msgspec.json.schema_components((Query,), ref_template=_PLACE)
    listed = []
    for name, schema in components.pop("Query")["properties"].items():
        described = {key: value for key, value in schema.items() if key not in {"description", "default"}}
        # A parameter that is not given is left out; there is no null in a query.
        kinds = [kind for kind in described.pop("anyOf", ()) if kind != {"type": "null"}]
        for kind in kinds:
            described.update(kind)
        listed.append({"name": name, "in": "query", "description": schema["description"], "schema": described})
    return listed, components


def _carry(app: FastAPI, schemas: _Json) -> None:
    made_by_fastapi = app.openapi

    def openapi() -> _Json:
        made = made_by_fastapi()
        made.setdefault("components", {}).setdefault("schemas", {}).update(schemas)
        return made

    app.openapi = openapi  # type: ignore[method-assign] # FastAPI's documented way to extend it
