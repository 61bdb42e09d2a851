"""Kubeconfig files for one server and one user."""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cluster.certificates import Credentials


@dataclass(frozen=True)
class Server:
    """An API server: its https URL and the PEM certificate of the authority that signed its own."""

    url: str
    authority: bytes


def write_kubeconfig(path: Path, server: Server, credentials: Credentials | str) -> Path:
    """Write a kubeconfig for a user with a client certificate or a bearer token, and return its path."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "tests",
                "cluster": {"server": server.url, "certificate-authority-data": _base64(server.authority)},
            }
        ],
        "users": [{"name": "user", "user": _user(credentials)}],
        "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": "user"}}],
        "current-context": "tests",
    }
    path.touch(mode=0o600)
    # Every JSON document is a YAML document.
    path.write_text(json.dumps(document, indent=2))
    return path


def _user(credentials: Credentials | str) -> dict[str, Any]:
    if isinstance(credentials, str):
        return {"token": credentials}
    return {
        "client-certificate-data": _base64(credentials.certificate),
        "client-key-data": _base64(credentials.key),
    }


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
