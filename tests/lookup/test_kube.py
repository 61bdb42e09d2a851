"""The API server through the kubernetes package, against a small server of ours."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from kubernetes.aio import client

from webhook.lookup import kube
from webhook.lookup.kube import Kubernetes
from webhook.lookup.kubeconfig import find_context
from webhook.lookup.watching import KubeError

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def connected(handler: Handler, token: str | None = None) -> AsyncIterator[Kubernetes]:
    """A connection to a server that answers everything by `handler`."""
    app = web.Application()
    app.router.add_get("/{path:.*}", handler)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    configuration = client.Configuration(host=f"http://127.0.0.1:{port}")
    if token:
        configuration.api_key["BearerToken"] = token
    kube = Kubernetes(configuration)
    try:
        yield kube
    finally:
        await kube.close()
        await runner.cleanup()


def play(scene: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        await scene()

    asyncio.run(run())


def test_a_get_carries_its_query_and_the_token() -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response(
            {"path": request.path, "query": dict(request.query), "token": request.headers["authorization"]}
        )

    async def scene() -> None:
        async with connected(answer, "bearer abc") as kube:
            body = await kube.get("/api/v1/nodes", {"limit": "500", "continue": "a/b="})
        assert b'"path": "/api/v1/nodes"' in body
        assert b'"continue": "a/b="' in body
        assert b'"token": "bearer abc"' in body

    play(scene)


@pytest.mark.parametrize("status", [401, 403, 404, 410, 500])
def test_a_status_is_told(status: int) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status)

    async def scene() -> None:
        async with connected(answer) as kube:
            with pytest.raises(KubeError) as fault:
                await kube.get("/api/v1/nodes", {})
            assert fault.value.status == status
            with pytest.raises(KubeError) as fault:
                await anext(kube.watch("/api/v1/nodes", {}))
            assert fault.value.status == status

    play(scene)


def test_a_watch_yields_lines_until_the_server_ends_it() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b'{"a":1}\n{"b"')
        await response.write(b':"' + b"x" * 1_000_000 + b'"}\n')
        return response

    async def scene() -> None:
        async with connected(answer) as kube:
            lines = [line async for line in kube.watch("/api/v1/nodes", {"watch": "1"})]
        assert lines[0] == b'{"a":1}\n'
        assert len(lines) == 2
        assert len(lines[1]) > 1_000_000

    play(scene)


def test_a_watch_that_breaks_is_a_kube_error() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.content_length = 1000
        await response.prepare(request)
        await response.write(b'{"a":1}\n')
        assert request.transport is not None
        request.transport.close()
        return response

    async def scene() -> None:
        async with connected(answer) as kube:
            lines = kube.watch("/api/v1/nodes", {})
            assert await anext(lines) == b'{"a":1}\n'
            with pytest.raises(KubeError) as fault:
                await anext(lines)
            assert fault.value.status is None

    play(scene)


def test_a_watch_that_falls_silent_is_a_kube_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kube, "_WATCH", aiohttp.ClientTimeout(sock_read=0.05))
    ended = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b'{"type":"ADDED"}\n')
        await ended.wait()
        return response

    async def scene() -> None:
        async with connected(answer) as kubernetes:
            with pytest.raises(KubeError, match="Timeout"):
                [line async for line in kubernetes.watch("/api/v1/nodes", {})]
            ended.set()

    play(scene)


def test_a_server_that_is_not_there() -> None:
    async def scene() -> None:
        kube = Kubernetes(client.Configuration(host="http://127.0.0.1:1"))
        with pytest.raises(KubeError, match="/api/v1/nodes"):
            await kube.get("/api/v1/nodes", {})
        await kube.close()

    play(scene)


def test_outside_a_cluster_there_is_no_service_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(KubeError, match="service account"):
        Kubernetes.in_cluster()


KUBECONFIG = """
current-context: c
contexts:
  - {name: c, context: {cluster: k, user: u}}
  - {name: bad-authority, context: {cluster: bad, user: u}}
  - {name: logged-out, context: {cluster: k, user: sso}}
clusters:
  - {name: k, cluster: {server: "https://127.0.0.1:1"}}
  - {name: bad, cluster: {server: "https://127.0.0.1:1", certificate-authority-data: ZGF0YQ==}}
users:
  - {name: u, user: {token: t}}
  - {name: sso, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: "false"}}}
"""


def test_a_kubeconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config").write_text(KUBECONFIG)

    async def scene() -> None:
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
        with pytest.raises(KubeError, match="no such file"):
            await Kubernetes.from_kubeconfig()
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
        kube = await Kubernetes.from_kubeconfig()
        assert kube.server == "https://127.0.0.1:1"
        await kube.close()

    play(scene)


@pytest.mark.parametrize(
    ("context", "problem"),
    [("bad-authority", "kubeconfig: SSLError"), ("logged-out", "kubeconfig: false gave no credentials")],
)
def test_a_context_that_cannot_be_used(tmp_path: Path, context: str, problem: str) -> None:
    (tmp_path / "config").write_text(KUBECONFIG)

    async def scene() -> None:
        with pytest.raises(KubeError, match=problem):
            await Kubernetes.from_kubeconfig(find_context({}, str(tmp_path / "config"), context))

    play(scene)
