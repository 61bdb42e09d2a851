"""The kinds of the Prometheus operator and of cert-manager, as far as the chart uses them, for a cluster without them.

The schemas hold the fields of their APIs that the chart may set: the API server refuses any other.
"""

from typing import Any

Json = dict[str, Any]

_TEXT: Json = {"type": "string"}
_TEXTS: Json = {"type": "object", "additionalProperties": _TEXT}


def _object(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _definition(group: str, kind: str, spec: Json) -> Json:
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
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


_MONITORING = "monitoring.coreos.com"
_CERTIFICATES = "cert-manager.io"
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
        _MONITORING,
        "ServiceMonitor",
        _object(selector=_object(matchLabels=_TEXTS), endpoints=_list(_object(port=_TEXT, interval=_TEXT))),
    ),
    _definition(
        _MONITORING, "PrometheusRule", _object(groups=_list(_object(name=_TEXT, interval=_TEXT, rules=_list(_RULE))))
    ),
    _definition(_CERTIFICATES, "Issuer", _object(selfSigned=_object(), ca=_object(secretName=_TEXT))),
    _definition(
        _CERTIFICATES,
        "Certificate",
        _object(
            isCA={"type": "boolean"},
            commonName=_TEXT,
            secretName=_TEXT,
            duration=_TEXT,
            dnsNames=_list(_TEXT),
            privateKey=_object(algorithm=_TEXT, size={"type": "integer"}, rotationPolicy=_TEXT),
            issuerRef=_object(group=_TEXT, kind=_TEXT, name=_TEXT),
        ),
    ),
)
