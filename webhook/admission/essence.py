"""The essence of a pod: all of it that a decision can depend on, in the bytes that the API server sent.

Pods of one template differ in owners and managed fields, and in the suffix that the API server's ServiceAccount
plugin gives to the name of the token's volume. The essence leaves the first two out, since no view reads them and no
patch touches them, and has no room for the last. So the pods of a template have one essence between them.
"""

from typing import Self

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


def written(pod: Object) -> bytes:
    """Returns the JSON of a pod, without what does not count."""
    return _encoder.encode(pod)


class Essence(msgspec.Struct, frozen=True):
    """A pod's JSON, cut in pieces where the name of the token's volume stands; one piece where it has none."""

    pieces: tuple[bytes, ...]

    @classmethod
    def of(cls, pod: bytes) -> Self:
        """Finds the essence of a pod that was `written`.

        A pod stays in one piece where such a name stands in any other place, or is not the only one: it may mean
        something.
        """
        before, *mentions = pod.split(_TOKEN_VOLUME)
        suffix = mentions[0][:_SUFFIX_LENGTH] if mentions else b""
        places = (suffix + _VOLUME, suffix + _MOUNT)
        pieces = [before]
        for mention in mentions:
            if not (suffix.isalnum() and pieces[-1].endswith(_NAME) and mention.startswith(places)):
                return cls((pod,))
            pieces.append(mention[_SUFFIX_LENGTH:])
        return cls(tuple(pieces))

    def is_of(self, pod: bytes) -> bool:
        """Tells whether a pod that was `written` has this essence, which takes less than to find its own."""
        start = len(self.pieces[0]) + len(_TOKEN_VOLUME)
        suffix = pod[start : start + _SUFFIX_LENGTH]
        return pod == (_TOKEN_VOLUME + suffix).join(self.pieces) and (suffix.isalnum() or len(self.pieces) == 1)

    def __bytes__(self) -> bytes:
        """Writes the JSON of a pod, in which the token's volume has the same name for all."""
        return _COMMON_NAME.join(self.pieces)
