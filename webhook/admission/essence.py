"""The essence of a pod: all of it that a decision can depend on, in the bytes that the API server sent.

Pods of one template differ in owners and managed fields, and in the suffix that the API server's ServiceAccount
plugin gives to the name of the token's volume. The essence leaves the first two out, since no view reads them and no
patch touches them, and writes one name for the last. So the pods of a template have one essence between them.
"""

import msgspec

_TOKEN_VOLUME = b"kube-api-access-"
_SUFFIX_LENGTH = 5
_NAME = b'{"name":"'
# How the API server goes on after the name, in the two places that have it (Kubernetes' ServiceAccount plugin).
_VOLUME = b'","projected":{'
_MOUNT = b'","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}'
_COMMON_SUFFIX = b"any"


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
    """Gives the token's volume the same name in every pod.

    A pod stays as it is where such a name stands in any other place, or is not the only one: it may mean something.
    """
    before, *mentions = pod.split(_TOKEN_VOLUME)
    if not mentions:
        return pod
    suffix = mentions[0][:_SUFFIX_LENGTH]
    pieces = [before]
    for mention in mentions:
        rest = mention[_SUFFIX_LENGTH:]
        if not (pieces[-1].endswith(_NAME) and mention.startswith(suffix) and rest.startswith((_VOLUME, _MOUNT))):
            return pod
        pieces.append(rest)
    return (_TOKEN_VOLUME + _COMMON_SUFFIX).join(pieces) if suffix.isalnum() else pod
