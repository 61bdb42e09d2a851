"""Whatever a pod says, a listing goes to AWS's S3 or to an endpoint on the operator's list, and asks for its bucket."""

import re
from collections.abc import Iterator
from unittest.mock import patch
from urllib.parse import urlsplit

import pytest
from botocore.awsrequest import AWSPreparedRequest
from botocore.exceptions import EndpointConnectionError
from botocore.httpsession import URLLib3Session
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lookup.make import container, facts, launch
from webhook.lookup.listing import Listing, wanted
from webhook.lookup.model import Models
from webhook.lookup.settings import LookupSettings

LISTED = "https://minio.corp:9021"
AWS = re.compile(r"([a-z0-9._-]+\.)?amazonaws\.(com|com\.cn|eu)", re.IGNORECASE)
SETTINGS = LookupSettings(allowed_buckets=("*",), allowed_endpoints=(LISTED,))

HOSTS = st.sampled_from(
    [
        *("169.254.169.254", "[::1]", "localhost", "kubernetes.default.svc", "minio.corp:9021", "minio.corp", "0"),
        *("s3.amazonaws.com", "s3.amazonaws.com.evil.example", "evil.example/s3.amazonaws.com"),
        *("minio.corp:9021@evil.example", "evil.example#minio.corp:9021", "evil.example?minio.corp:9021"),
        *("s3.us-west-2.amazonaws.com", "minio.corp:9021/x"),
        *("minio.corp:9021.evil.example", "MINIO.corp:9021", "minio\u3002corp:9021", "bucket.s3.amazonaws.com"),
    ]
)
URLS = st.builds(lambda scheme, host: f"{scheme}{host}", st.sampled_from(["http://", "https://", "", "file://"]), HOSTS)
WORDS = st.text(st.sampled_from("abAB019.-_:/@#?%\\ \0\n\u3002"), max_size=12)
BUCKETS = (
    st.sampled_from(
        [
            *("weights", "169.254.169.254", "evil.example", "a..b", "x--usw2-az1--x-s3", "x--op-s3", "x-s3alias"),
            *("evil.example--usw2-az1--x-s3", "WEIGHTS", "a_b", "mrap.global", "x@evil.example", "x#y", "x?y", "x%2fy"),
            *("arn:aws:s3:us-west-2:123456789012:accesspoint/weights", "arn:aws:s3:evil.example:1:accesspoint/x"),
            *(
                "arn:aws:s3::123456789012:accesspoint:m.mrap",
                "arn:aws:s3-outposts:us-west-2:1:outpost/op-1/accesspoint/x",
            ),
            *("arn:aws-cn:s3:cn-north-1:1:accesspoint/x", "arn:evil:s3:us-west-2:1:accesspoint/x"),
            "arn:aws:s3-object-lambda:us-west-2:123456789012:accesspoint/x",
        ]
    )
    | WORDS
)
ENV = st.fixed_dictionaries(
    {},
    optional={
        "AWS_ENDPOINT_URL": URLS | WORDS,
        "AWS_ENDPOINT_URL_S3": URLS,
        "RUNAI_STREAMER_S3_ENDPOINT": URLS,
        "AWS_REGION": st.sampled_from(["us-west-2", "evil.example", "us-west-2@evil.example", "a/b", "x" * 80]) | WORDS,
        "AWS_DEFAULT_REGION": WORDS,
        "RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING": st.sampled_from(["0", "1", "x"]),
        "RUNAI_STREAMER_S3_UNSIGNED": st.sampled_from(["0", "1"]),
        "HTTPS_PROXY": URLS,
        "AWS_PROFILE": WORDS,
        "AWS_CA_BUNDLE": st.just("/etc/passwd"),
    },
)


class Wire:
    """Stands for the network: keeps whom botocore would have called, and reaches nobody."""

    def __init__(self) -> None:
        self.called: list[AWSPreparedRequest] = []

    def send(self, request: AWSPreparedRequest) -> None:
        self.called.append(request)
        raise EndpointConnectionError(endpoint_url=request.url)


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    with pytest.MonkeyPatch.context() as env:
        env.setenv("AWS_ACCESS_KEY_ID", "id")
        env.setenv("AWS_SECRET_ACCESS_KEY", "key")
        env.setenv("AWS_REGION", "us-west-2")
        env.setenv("AWS_DEFAULT_REGION", "us-west-2")
        env.setenv("AWS_MAX_ATTEMPTS", "1")
        made = Models()
        yield made
        made.close()


def called(models: Models, listing: Listing) -> list[str]:
    """The URLs that a listing would have called."""
    wire = Wire()
    with patch.object(URLLib3Session, "send", lambda _, request: wire.send(request)), patch("time.sleep"):
        models.list_shards(listing)
    assert {request.method for request in wire.called} <= {"GET", "HEAD"}
    return [request.url for request in wire.called]


@settings(deadline=None, max_examples=60)
@given(bucket=BUCKETS, key=WORDS, env=ENV)
def test_a_listing_calls_aws_or_a_listed_endpoint(models: Models, bucket: str, key: str, env: dict[str, str]) -> None:
    listing = wanted(facts(launch(f"s3://{bucket}/{key}"), engine=container(env)), SETTINGS)
    if not isinstance(listing, Listing):
        return
    for url in called(models, listing):
        parts = urlsplit(url)
        by_name = f"{parts.scheme}://{parts.netloc}"
        assert by_name == LISTED or (parts.scheme == "https" and AWS.fullmatch(parts.netloc)), url
        assert re.split("[:/]", listing.location.bucket)[-1].lower() in url.lower()


@pytest.mark.parametrize(
    ("env", "start"),
    [
        ({}, "https://weights.s3.us-west-2.amazonaws.com/?"),
        ({"AWS_ENDPOINT_URL": "https://s3.eu-west-1.amazonaws.com"}, "https://weights.s3.us-west-2.amazonaws.com/?"),
        ({"AWS_ENDPOINT_URL": LISTED, "AWS_REGION": "evil.example"}, None),
        ({"AWS_ENDPOINT_URL": LISTED, "AWS_REGION": "eu-1"}, f"{LISTED}/weights?"),
        (
            {"AWS_REGION": "eu-west-1", "HTTPS_PROXY": "http://evil.example"},
            "https://weights.s3.us-west-2.amazonaws.com/?",
        ),
    ],
)
def test_the_calls_of_a_bucket(models: Models, env: dict[str, str], start: str | None) -> None:
    listing = wanted(facts(engine=container(env)), SETTINGS)
    assert isinstance(listing, Listing)
    urls = called(models, listing)
    assert bool(urls) is (start is not None)
    assert all(url.startswith(start or "") for url in urls)
