"""The API server as a doctor asks it: it reads, and sends what is never stored (dry runs and questions of access)."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Protocol

import aiohttp
from kubernetes.aio import client

from webhook.lookup.kube import Kubernetes
from webhook.lookup.watching import KubeError

# How long one call may take in all, in seconds: reviews of a created pod take part in it.
_CALL = aiohttp.ClientTimeout(total=30.0)


class Api(Protocol):
    """The calls that gathering facts takes."""

    async def get(self, path: str, query: Mapping[str, str]) -> bytes:
        """Returns the body of a GET.

        Raises:
            KubeError: where the server is not reached or its status is not 200.
        """

    async def post(self, path: str, query: Mapping[str, str], content: object) -> bytes:
        """Returns the body of the answer to a POST.

        Raises:
            KubeError: where the server is not reached, or refuses; the message is then its own.
        """


class AskingKubernetes(Kubernetes):
    """The `Api` of a real cluster."""

    async def post(self, path: str, query: Mapping[str, str], content: object) -> bytes:
        """Returns the body of the answer to a POST; see `Api`."""
        try:
            method, url, headers, body, _ = await self._client.param_serialize(
                "POST",
                path,
                query_params=list(query.items()),
                header_params={"Accept": "application/json", "Content-Type": "application/json"},
                body=content,
                auth_settings=["BearerToken"],
            )
            sent = await self._client.call_api(method, url, headers, body, _request_timeout=_CALL)
            answer: aiohttp.ClientResponse = sent.response
            said = await answer.read()
        except (aiohttp.ClientError, client.ApiException, OSError, ValueError) as fault:
            raise KubeError(f"{path}: {type(fault).__name__}") from fault
        if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
            raise KubeError(_message(said) or f"{answer.status} {answer.reason}", answer.status)
        return said


def _message(body: bytes) -> str:
    """Returns what the server said of an error; "" where it said nothing that is a Status."""
    try:
        status = json.loads(body)
    except ValueError:
        return ""
    message = status.get("message") if isinstance(status, dict) else None
    return message if isinstance(message, str) else ""
