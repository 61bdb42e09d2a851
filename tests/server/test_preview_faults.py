"""A fault of ours in a preview: told without the manifest, and no end of previews."""

import asyncio

import httpx
import pytest
from prometheus_client import CollectorRegistry

from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.cluster import NoCluster
from webhook.lookup.facts import Shards, Unknown
from webhook.lookup.listing import Listing
from webhook.lookup.world import LiveWorld
from webhook.pipeline import Pipeline
from webhook.server.app import admin_port
from webhook.server.health import Health
from webhook.server.preview import PreviewEndpoint
from webhook.server.preview_lookups import PreviewPipelines
from webhook.server.preview_request import Outcome
from webhook.server.settings import Settings

SECRET = "hf_do_not_log_me"
POD = f"kind: Pod\nspec: {{containers: [{{name: a, env: [{{name: TOKEN, value: {SECRET}}}]}}]}}\n"


async def list_nothing(listing: Listing) -> Shards | Unknown:
    raise AssertionError(listing)


def test_a_fault_is_counted_and_logged_without_the_manifest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError(f"cannot go on with {SECRET}")

    monkeypatch.setattr(Pipeline, "tune", fail)
    outcomes: list[Outcome] = []

    async def scene() -> list[httpx.Response]:
        settings, catalogue, cluster = Settings(), load_catalogue(), NoCluster(Settings().namespace_rules())
        live = LiveWorld(settings.lookup, catalogue, cluster, list_nothing)
        pipelines = PreviewPipelines(settings, catalogue, cluster, live)
        endpoint = PreviewEndpoint(pipelines, settings.preview, outcomes.append)
        transport = httpx.ASGITransport(admin_port(Health(), CollectorRegistry(), endpoint))
        async with httpx.AsyncClient(transport=transport, base_url="http://admin") as client:
            headers = {"content-type": "application/yaml"}
            return [await client.post("/preview", content=POD, headers=headers) for _ in range(5)]

    replies = asyncio.run(scene())
    assert [reply.status_code for reply in replies] == [500] * 5
    assert outcomes == [Outcome.FAILED] * 5
    assert replies[0].headers["content-type"] == "application/problem+json"
    printed = capsys.readouterr()
    assert "ValueError" in printed.out + printed.err
    assert SECRET not in replies[0].text + printed.out + printed.err
