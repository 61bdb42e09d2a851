"""Which buckets are listed for whom: a tenant learns nothing of a bucket that its namespace may not have listed."""

import asyncio

import msgspec
import pytest

from tests.lookup.make import facts, launch
from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.cluster import NoCluster
from webhook.lookup.facts import Shards, Unknown, World
from webhook.lookup.listing import Listing, wanted
from webhook.lookup.settings import LookupSettings
from webhook.lookup.stores import NamespaceRules
from webhook.lookup.world import LiveWorld
from webhook.pipeline import Pipeline
from webhook.plan.settings import PlanSettings
from webhook.pod.settings import PodSettings
from webhook.preview.documents import read_documents
from webhook.preview.run import run
from webhook.reasons import Code, because
from webhook.server.declared import SettingsError, load

SHARDS = Shards(count=17, total_bytes=170, largest_bytes=10)
RULES = ("team-a=weights", "team-b-*=b-*", "*=shared-*")


class Store:
    """An S3 that keeps what it was asked."""

    def __init__(self, answer: Shards | Unknown = SHARDS) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def __call__(self, listing: Listing) -> Shards | Unknown:
        self.asked.append(listing.location.bucket)
        return self.answer


def world(store: Store, *rules: str) -> LiveWorld:
    return LiveWorld(LookupSettings(namespace_buckets=rules), load_catalogue(), NoCluster(NamespaceRules()), store)


@pytest.mark.parametrize(
    ("namespace", "bucket", "allowed"),
    [
        ("team-a", "weights", True),
        ("team-a", "weights-2", False),
        ("team-a", "b-llm", False),
        ("team-a", "shared-llm", True),
        ("team-b-1", "b-llm", True),
        ("team-b", "b-llm", False),
        ("team-b-1", "weights", False),
        ("team-a-1", "weights", False),
        ("TEAM-A", "weights", False),
        ("", "weights", False),
        ("", "shared-llm", True),
    ],
)
def test_a_rule_names_namespaces_and_their_buckets(namespace: str, bucket: str, allowed: bool) -> None:  # noqa: FBT001
    pod = facts(launch(f"s3://{bucket}/llm"), namespace=namespace)
    found = wanted(pod, LookupSettings(namespace_buckets=RULES))
    assert isinstance(found, Listing) is allowed
    assert isinstance(found, Listing) or found == Unknown(
        because(Code.BUCKET_NOT_ALLOWED, bucket=bucket, namespace=namespace)
    )


def test_without_a_rule_every_namespace_has_what_is_allowed() -> None:
    assert isinstance(wanted(facts(namespace="anyone"), LookupSettings()), Listing)


def test_a_rule_allows_nothing_that_the_list_of_buckets_does_not() -> None:
    settings = LookupSettings(allowed_buckets=("models-*",), namespace_buckets=("*=*",))
    assert isinstance(wanted(facts(), settings), Unknown)


@pytest.mark.parametrize(
    "uri",
    [
        "s3://weights.example/llm",
        "s3://WEIGHTS/llm",
        "s3://arn:aws:s3:us-west-2:123456789012:accesspoint/weights/llm",
        "s3://weights-123456789012-s3alias/llm",
    ],
)
def test_another_spelling_of_a_bucket_is_another_bucket(uri: str) -> None:
    assert isinstance(
        wanted(facts(launch(uri), namespace="team-b-1"), LookupSettings(namespace_buckets=RULES)), Unknown
    )


@pytest.mark.parametrize(
    "there",
    [SHARDS, *(Unknown(because(code, bucket="weights", uri="s3://weights/llm/", problem="x", pattern="*"))
               for code in (Code.NO_SUCH_BUCKET, Code.S3_ACCESS_DENIED, Code.NO_SAFETENSORS))],
)  # fmt: skip
def test_what_is_there_makes_no_difference_and_no_call_is_made(there: Shards | Unknown) -> None:
    async def ask() -> World:
        of = world(store, *RULES)
        stranger = facts(namespace="team-c")
        first = of.known(stranger)
        assert first == await of.find(stranger)
        await of.close()
        return first

    store = Store(there)
    found = asyncio.run(ask())
    assert found.shards == Unknown(because(Code.BUCKET_NOT_ALLOWED, bucket="weights", namespace="team-c"))
    assert store.asked == []


def test_what_was_listed_for_one_namespace_is_not_served_to_another() -> None:
    async def ask() -> None:
        of = world(store, *RULES)
        assert (await of.find(facts())).shards == SHARDS
        stranger = of.known(facts(namespace="team-c"))
        assert stranger
        assert isinstance(stranger.shards, Unknown)
        await of.close()

    store = Store()
    asyncio.run(ask())
    assert store.asked == ["weights"]


MANIFEST = """
apiVersion: v1
kind: Pod
metadata: {{name: llm, namespace: {namespace}, annotations: {{fastload.dev/inject: "true"}}}}
spec:
  containers:
    - {{name: vllm, image: "vllm/vllm-openai:v0.11.0", command: [vllm, serve, "s3://weights/llm"]}}
"""


@pytest.mark.parametrize(("namespace", "listed"), [("team-a", ["weights"]), ("team-c", [])])
def test_a_preview_goes_by_the_namespace_in_its_manifest(namespace: str, listed: list[str]) -> None:
    async def preview() -> bytes:
        of = world(store, *RULES)
        pipeline = Pipeline(PodSettings(), PlanSettings(), of)
        made = await run(read_documents("-", MANIFEST.format(namespace=namespace).encode()), pipeline)
        await of.close()
        return msgspec.json.encode(made.preview)

    store = Store()
    said = asyncio.run(preview())
    assert store.asked == listed
    assert (Code.BUCKET_NOT_ALLOWED.encode() in said) == (not listed)


@pytest.mark.parametrize("text", ["team-a", "=weights", "team-a=", "team-a=weights=x"])
def test_a_rule_of_another_form_is_refused_at_the_start(text: str) -> None:
    with pytest.raises(SettingsError, match="NAMESPACE=BUCKET"):
        load({}, {"FASTLOAD_NAMESPACE_BUCKETS": text})
