"""The API server, asked for single objects by name, and told of changes.

Loading the client takes half a second, so only a server that keeps its certificates imports this module.
"""

import datetime as dt
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import aiohttp
from kubernetes.aio import client

from webhook.certificates.api import JSON, Answer
from webhook.lookup.kube import Kubernetes
from webhook.lookup.watching import KubeError

# How long one call may take in all, in seconds.
_CALL = aiohttp.ClientTimeout(total=10.0)


class WritingKubernetes(Kubernetes):
    """The `Api` of a real cluster."""

    async def read(self, path: str) -> Answer:
        """Returns an object; see `Api`."""
        answer, body = await self._send("GET", path, None, JSON)
        if answer.status != HTTPStatus.NOT_FOUND:
            _require_success("GET", path, answer)
        return Answer(None if answer.status == HTTPStatus.NOT_FOUND else body, _now(answer.headers.get("Date")))

    async def write(self, method: str, path: str, content: object, media: str = JSON) -> None:
        """Creates or changes an object; see `Api`."""
        answer, _ = await self._send(method, path, content, media)
        _require_success(method, path, answer)

    async def _send(self, method: str, path: str, content: object, media: str) -> tuple[aiohttp.ClientResponse, bytes]:
        try:
            method, url, headers, body, _ = await self._client.param_serialize(
                method,
                path,
                header_params={"Accept": JSON, "Content-Type": media},
                body=content,
                auth_settings=["BearerToken"],
            )
            sent = await self._client.call_api(method, url, headers, body, _request_timeout=_CALL)
            answer: aiohttp.ClientResponse = sent.response
            return answer, await answer.read()
        except (aiohttp.ClientError, client.ApiException, OSError, ValueError) as fault:
            # By its type alone: its text may hold more than a log should.
            raise KubeError(f"{method} {path}: {type(fault).__name__}") from fault


def _require_success(method: str, path: str, answer: aiohttp.ClientResponse) -> None:
    if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
        raise KubeError(f"{method} {path}: {answer.status} {answer.reason}", answer.status)


def _now(date: str | None) -> dt.datetime:
    """Returns the server's time; ours, where it does not tell."""
    try:
        return parsedate_to_datetime(date or "").astimezone(dt.UTC)
    except ValueError:
        return dt.datetime.now(dt.UTC)
