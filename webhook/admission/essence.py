"""The essence of a pod: all of it that a decision can depend on, in the bytes that the API server sent.

Pods of one template differ in owners and managed fields, and in the suffix that the API server's ServiceAccount
plugin gives to the name of the token's volume. The essence leaves the first two out, since no view reads them and no
patch touches them, and writes one name for the last. So the pods of a template have one essence between them.
"""

import msgspec

_NAME_START = b'{"name":"'
_TOKEN_VOLUME = b"kube-api-access-"
_SUFFIX_LENGTH = 5
# No pod has it from the API server: generated suffixes have another length, and no vowels.
_ANY_TOKEN_VOLUME = b"kube-api-access-any"
# How the API server writes the two places that name the volume (Kubernetes source, ServiceAccount admission plugin).
_TOKEN_PLACES = (
    b'{"name":"%b","projected":{',
    b'{"name":"%b","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}',
)


class _Metadata(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True, gc=False):
    """The fields of a pod's metadata that its view has, as they came."""

    name: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    generate_name: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    namespace: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    labels: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    annotations: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _Pod(msgspec.Struct, omit_defaults=True, kw_only=True, gc=False):
    metadata: _Metadata | None = None
    spec: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_decoder = msgspec.json.Decoder(_Pod)
_encoder = msgspec.json.Encoder()


def essence_of(pod: msgspec.Raw) -> bytes:
    """Returns what counts of a pod, as the JSON of a pod.

    Raises:
        ValueError: the object is not a pod.
        RecursionError: the object is nested too deeply.
    """
    return _with_one_token_volume(_encoder.encode(_decoder.decode(pod)))


def _with_one_token_volume(pod: bytes) -> bytes:
    """Gives the token's volume the same name in every pod; one that is named elsewhere too keeps its own."""
    start = pod.find(_NAME_START + _TOKEN_VOLUME)
    if start < 0:
        return pod
    start += len(_NAME_START)
    name = pod[start : start + len(_TOKEN_VOLUME) + _SUFFIX_LENGTH]
    renamed = pod
    for place in _TOKEN_PLACES:
        renamed = renamed.replace(place % name, place % _ANY_TOKEN_VOLUME)
    safe = name[-_SUFFIX_LENGTH:].isalnum() and name not in renamed and _ANY_TOKEN_VOLUME not in pod
    return renamed if safe else pod
