"""The least a webhook can do on this stack: read the review, allow whatever it is."""

import sys

import msgspec

from benchmarks.echo import serve
from webhook.admission.asgi import Receive, Scope, Send


class _Request(msgspec.Struct):
    uid: str


class _Review(msgspec.Struct):
    request: _Request


_decoder = msgspec.json.Decoder(_Review)
_encoder = msgspec.json.Encoder()


async def allow(_scope: Scope, receive: Receive, send: Send) -> None:
    """Serves one request."""
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    response = {"uid": _decoder.decode(body).request.uid, "allowed": True}
    answer = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}
    encoded = _encoder.encode(answer)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(encoded)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": encoded})


if __name__ == "__main__":
    serve(allow, *sys.argv[1:])
