"""The API server as the `kubernetes` package reaches it.

Loading that package takes half a second, so only what talks to a cluster imports this module.
"""

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import aiohttp
from kubernetes.aio import client, config

from webhook.lookup.kubeconfig import KubeContext, find_context
from webhook.lookup.watching import KubeError

# How long one call may take in all, and a watch may be silent, in seconds. The server sends a bookmark about once a
# minute, so a longer silence is a connection that nobody closed.
_CALL = aiohttp.ClientTimeout(total=10.0)
_WATCH = aiohttp.ClientTimeout(connect=10.0, sock_read=150.0)
_OK = 200


class Kubernetes:
    """Reads from the API server; the `KubeApi` of a real cluster."""

    def __init__(self, configuration: Any) -> None:  # noqa: ANN401 - kubernetes.aio ships no types
        self._client = client.ApiClient(configuration)

    @classmethod
    def in_cluster(cls) -> Self:
        """Connects as the pod's service account.

        Raises:
            KubeError: where the process does not run in a pod with a service account.
        """
        configuration = client.Configuration()
        with _translated("service account"):
            config.load_incluster_config(configuration)  # type: ignore[no-untyped-call]  # it has no types
        return cls(configuration)

    @classmethod
    async def from_kubeconfig(cls, context: KubeContext | None = None) -> Self:
        """Connects as a context of a kubeconfig says; without one, as the environment's current context does.

        Raises:
            KubeError: where it cannot be used.
        """
        context = context or find_context(os.environ)
        configuration = client.Configuration()
        files = os.pathsep.join(context.files)
        try:
            await config.load_kube_config(  # type: ignore[no-untyped-call]  # it has no types
                files, context.name, client_configuration=configuration, persist_config=False
            )
            connected = cls(configuration)
        except Exception as fault:  # what is missing or of another type surfaces as an error of any kind
            raise KubeError(f"kubeconfig: {type(fault).__name__}") from fault
        if context.login and not (configuration.api_key.get("BearerToken") or configuration.cert_file):
            # The package has logged why, and would go on as nobody.
            await connected.close()
            raise KubeError(f"kubeconfig: {context.login} gave no credentials")
        return connected

    @property
    def server(self) -> str:
        """URL of the API server."""
        return str(self._client.configuration.host)

    async def get(self, path: str, query: Mapping[str, str]) -> bytes:
        """Returns the body of a GET; see `KubeApi`."""
        with _translated(path):
            answer = await self._call(path, query, _CALL)
            try:
                body: bytes = await answer.read()
            finally:
                answer.release()
        return body

    async def watch(self, path: str, query: Mapping[str, str]) -> AsyncIterator[bytes]:
        """Yields the lines of a watch; see `KubeApi`."""
        with _translated(path):
            answer = await self._call(path, query, _WATCH)
            try:
                async for line in answer.content:
                    yield line
            finally:
                answer.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()  # type: ignore[no-untyped-call]  # it has no types

    async def _call(self, path: str, query: Mapping[str, str], limits: aiohttp.ClientTimeout) -> aiohttp.ClientResponse:
        """Sends a GET and returns the answer, its body still unread."""
        method, url, headers, *_ = await self._client.param_serialize(
            "GET",
            path,
            query_params=list(query.items()),
            header_params={"Accept": "application/json"},
            auth_settings=["BearerToken"],
        )
        sent = await self._client.call_api(method, url, headers, _request_timeout=limits)
        answer: aiohttp.ClientResponse = sent.response
        if answer.status != _OK:
            answer.release()
            raise KubeError(f"{path}: {answer.status} {answer.reason}", answer.status)
        return answer


@contextmanager
def _translated(subject: str) -> Iterator[None]:
    """Turns whatever the client raises into a `KubeError`, by its type: its text may hold more than a log should."""
    try:
        yield
    except (aiohttp.ClientError, client.ApiException, config.ConfigException, OSError, ValueError) as fault:
        raise KubeError(f"{subject}: {type(fault).__name__}") from fault
