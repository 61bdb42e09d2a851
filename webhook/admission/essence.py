"""The essence of a pod: all of it that a decision can depend on, in the bytes that the API server sent.

Pods of one template differ in owners and managed fields, and in the suffix that the API server's ServiceAccount
plugin gives to the name of the token's volume. The essence leaves the first two out, since no view reads them and no
patch touches them, and writes one name for the last. So the pods of a template have one essence between them.
"""

import msgspec

from webhook.admission.review import Object

_TOKEN_VOLUME = b"kube-api-access-"
_SUFFIX_LENGTH = 5
_NAME = b'{"name":"'
# How the API server goes on after the name, in the two places that have it (Kubernetes' ServiceAccount plugin).
_VOLUME = b'","projected":{'
_MOUNT = b'","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}'
_COMMON_NAME = _TOKEN_VOLUME + b"any"
_encoder = msgspec.json.Encoder()


def essence_of(pod: Object | None) -> bytes:
    """Returns what counts of a pod, as the JSON of a pod.

    Raises:
        ValueError: there was nothing of a pod's shape.
    """
    if pod is None:
        raise ValueError("an object of a pod's shape is missing")
    return _with_one_token_volume(_encoder.encode(pod))


def _with_one_token_volume(pod: bytes) -> bytes:
    """Gives the token's volume the same name in every pod.

    A pod stays as it is where such a name stands in any other place, or is not the only one: it may mean something.
    """
    # From the right, the search goes by the name's first letter, which is rare in a pod: it takes half the time.
    before, *mentions = pod.rsplit(_TOKEN_VOLUME)
    if not mentions:
        return pod
    suffix = mentions[0][:_SUFFIX_LENGTH]
    places = (suffix + _VOLUME, suffix + _MOUNT)
    pieces = [before]
    for mention in mentions:
        if not (pieces[-1].endswith(_NAME) and mention.startswith(places)):
            return pod
        pieces.append(mention[_SUFFIX_LENGTH:])
    return _COMMON_NAME.join(pieces) if suffix.isalnum() else pod
