"""The least a webhook can do on this stack: read the review, and give the answer that it was started with."""

import sys
from typing import Any

import msgspec

from benchmarks.echo import serve
from webhook.admission.asgi import Receive, Scope, Send


class _Request(msgspec.Struct):
    uid: str


class _Review(msgspec.Struct):
    request: _Request


_decoder = msgspec.json.Decoder(_Review)
_encoder = msgspec.json.Encoder()


class Given:
    """The application; its answer is as in an AdmissionReview, but for the uid."""

    def __init__(self, response: dict[str, Any]) -> None:
        self._response = response

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        body = b""
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        response = {**self._response, "uid": _decoder.decode(body).request.uid}
        answer = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}
        encoded = _encoder.encode(answer)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(encoded)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": encoded})


def main(certificate: str, key: str, response: str) -> None:
    """Serves until it is killed."""
    serve(Given(msgspec.json.decode(response)), certificate, key)


if __name__ == "__main__":
    main(*sys.argv[1:])
