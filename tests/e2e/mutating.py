"""A mutating webhook of the tests' own, to stand beside fastload's."""

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.cluster.certificates import Credentials

Json = dict[str, Any]
Mutate = Callable[[Json], list[Json]]
"""Returns the JSON patch for an object."""


@contextmanager
def mutating_webhook(address: tuple[str, int], credentials: Credentials, mutate: Mutate) -> Iterator[list[Json]]:
    """Serve a webhook that changes every object so, and give the requests that came."""
    requests: list[Json] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request"]
            requests.append(request)
            body = json.dumps(_answer(request["uid"], mutate(request["object"]))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name in the base class)
            """Keep quiet."""

    with ThreadingHTTPServer(address, Handler) as server, TemporaryDirectory() as folder:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*credentials.write(Path(folder), "webhook"))
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield requests
        finally:
            server.shutdown()
            thread.join()


def configuration(name: str, namespace: str, client: Json) -> Json:
    """The configuration of a webhook that is called, at `client`, for every pod of one namespace."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [
            {
                "name": "webhook.example.com",
                "clientConfig": client,
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                "failurePolicy": "Fail",
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
                "timeoutSeconds": 5,
            }
        ],
    }


def _answer(uid: str, patch: list[Json]) -> Json:
    encoded = base64.b64encode(json.dumps(patch).encode()).decode()
    response = {"uid": uid, "allowed": True, "patchType": "JSONPatch", "patch": encoded}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}
