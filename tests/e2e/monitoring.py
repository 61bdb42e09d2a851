"""The Prometheus operator's kinds, as far as the chart uses them, for a cluster without the operator.

The schemas hold the fields of its API that the chart may set: the API server refuses any other.
"""

from typing import Any

Json = dict[str, Any]

_TEXT: Json = {"type": "string"}
_TEXTS: Json = {"type": "object", "additionalProperties": _TEXT}


def _object(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _definition(kind: str, plural: str, spec: Json) -> Json:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.monitoring.coreos.com"},
        "spec": {
            "group": "monitoring.coreos.com",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {**_object(spec=spec), "required": ["spec"]}},
                }
            ],
        },
    }


_RULE = _object(
    alert=_TEXT,
    record=_TEXT,
    expr={"x-kubernetes-int-or-string": True},
    **{"for": _TEXT, "keep_firing_for": _TEXT},
    labels=_TEXTS,
    annotations=_TEXTS,
)
DEFINITIONS = (
    _definition(
        "ServiceMonitor",
        "servicemonitors",
        _object(selector=_object(matchLabels=_TEXTS), endpoints=_list(_object(port=_TEXT, interval=_TEXT))),
    ),
    _definition(
        "PrometheusRule",
        "prometheusrules",
        _object(groups=_list(_object(name=_TEXT, interval=_TEXT, rules=_list(_RULE)))),
    ),
)
