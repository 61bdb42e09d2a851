"""The part of the chart's schema that checks fastload's settings, written from their declarations.

`python -m tests.deploy.settings_schema` (or `make manifests`) writes it into `values.schema.json`; a test compares
them.
"""

import json
import re
from pathlib import Path
from typing import Any

from msgspec import inspect

from webhook.server.declared import Declared, declared

SCHEMA = Path(__file__).parents[2] / "deploy/chart/values.schema.json"
# What other values of the chart decide, so that it has one place there.
WIRED = {
    "FASTLOAD_ANNOTATION_PREFIX": "annotationPrefix",
    "FASTLOAD_REVIEW_PORT": "ports.reviews",
    "FASTLOAD_ADMIN_PORT": "ports.admin",
    "FASTLOAD_HOST": "every address, as probes and the API server have to reach it",
    "FASTLOAD_TLS_CERTIFICATE": "certificates",
    "FASTLOAD_TLS_KEY": "certificates",
    "FASTLOAD_CERTIFICATES": "certificates.source",
    "FASTLOAD_CERTIFICATE_NAMESPACE": "the release's namespace",
    "FASTLOAD_CERTIFICATE_SECRET": "certificates.secretName",
    "FASTLOAD_CERTIFICATE_NAMES": "the Service's name",
    "FASTLOAD_CERTIFICATE_WEBHOOKS": "the webhook configurations' names",
}
# Helm's regular expressions have none; what such a part refuses, the new pod does, and the old ones go on.
_LOOKAHEAD = re.compile(r"\(\?!(?:[^()]|\([^()]*\))*\)")

Json = dict[str, Any]


def value_name(setting: Declared) -> str:
    """The setting's name among the chart's values."""
    first, *others = setting.name.split("_")
    return first + "".join(other.capitalize() for other in others)


def settings_schema() -> Json:
    """The schema of the value `settings`: it refuses what the settings would, before a pod starts with it."""
    return {
        "description": "fastload's own settings (docs/settings.md).",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            value_name(setting): {"description": setting.description, **_schema(setting.shape)}
            for setting in declared()
            if setting.variable not in WIRED
        },
    }


def with_settings(schema: Json) -> Json:
    """The chart's whole schema with its part for the settings as the code declares them."""
    return {**schema, "properties": {**schema["properties"], "settings": settings_schema()}}


def main() -> None:
    SCHEMA.write_text(spelled(with_settings(json.loads(SCHEMA.read_text()))))


def spelled(schema: Json) -> str:
    """The schema as it stands in its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _schema(shape: inspect.Type) -> Json:  # noqa: PLR0911 (one return a kind of value)
    match shape:
        case inspect.Metadata(type=inner):
            return _schema(inner)
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.IntType():
            return {"type": "integer", **_bounds(shape)}
        case inspect.FloatType():
            return {"type": "number", **_bounds(shape)}
        case inspect.EnumType(cls=options):
            return {"enum": [option.value for option in options]}
        case inspect.StrType(pattern=str(pattern)):
            return {"type": "string", "pattern": _LOOKAHEAD.sub("", pattern)}
        case inspect.StrType():
            return {"type": "string"}
        case inspect.VarTupleType(item_type=item):
            # Its variable is a comma-separated list.
            return {"type": "array", "items": {"allOf": [_schema(item), {"pattern": "^[^,]+$"}]}}
        case inspect.UnionType(types=types):
            (kind,) = (kind for kind in types if not isinstance(kind, inspect.NoneType))
            return _schema(kind)
    raise TypeError(f"no setting had this type before, so nothing here says how a value spells it: {shape}")


def _bounds(shape: inspect.IntType | inspect.FloatType) -> Json:
    bounds = {"minimum": shape.ge, "exclusiveMinimum": shape.gt, "maximum": shape.le, "exclusiveMaximum": shape.lt}
    return {name: bound for name, bound in bounds.items() if bound is not None}


if __name__ == "__main__":
    main()
