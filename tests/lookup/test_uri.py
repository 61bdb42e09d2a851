"""Object-store URIs and S3 endpoints."""

import pytest

from webhook.lookup.uri import Location, is_aws, locate, origin
from webhook.pod.stores import store_of

ACCESS_POINT = "arn:aws:s3:us-west-2:123456789012:accesspoint/models"


@pytest.mark.parametrize(
    ("uri", "store"),
    [
        ("s3://b/m", "s3"),
        ("S3://b/m", "s3"),
        ("gs://b/m", "gs"),
        ("AZ://b/m", "az"),
        ("/mnt/models/s3://b", None),
        ("org/model", None),
        ("", None),
    ],
)
def test_stores(uri: str, store: str | None) -> None:
    assert store_of(uri) == store


@pytest.mark.parametrize(
    ("uri", "bucket", "prefix"),
    [
        ("s3://weights/llm", "weights", "llm/"),
        ("S3://weights/llm/", "weights", "llm/"),
        ("s3://weights/llm///", "weights", "llm/"),
        ("s3://weights/a//b", "weights", "a//b/"),
        ("s3://weights", "weights", ""),
        ("s3://weights/", "weights", ""),
        ("s3://Weights.v2_x/Llm", "Weights.v2_x", "Llm/"),
        ("s3://weights/sp ace/ünï?#", "weights", "sp ace/ünï?#/"),
        ("s3://models-abc123-s3alias/llm", "models-abc123-s3alias", "llm/"),
        ("s3://models--usw2-az1--x-s3/llm", "models--usw2-az1--x-s3", "llm/"),
        (f"s3://{ACCESS_POINT}/llm/v1", ACCESS_POINT, "llm/v1/"),
        (f"s3://{ACCESS_POINT}", ACCESS_POINT, ""),
        (
            "s3://arn:aws-cn:s3:cn-north-1:123456789012:accesspoint:models/llm",
            "arn:aws-cn:s3:cn-north-1:123456789012:accesspoint:models",
            "llm/",
        ),
        (
            "s3://arn:aws:s3-outposts:us-west-2:123456789012:outpost/op-1/accesspoint/models/llm",
            "arn:aws:s3-outposts:us-west-2:123456789012:outpost/op-1/accesspoint/models",
            "llm/",
        ),
        (
            "s3://arn:aws:s3::123456789012:accesspoint/abc.mrap/llm",
            "arn:aws:s3::123456789012:accesspoint/abc.mrap",
            "llm/",
        ),
    ],
)
def test_locations(uri: str, bucket: str, prefix: str) -> None:
    assert locate(uri) == Location(bucket, prefix)


@pytest.mark.parametrize("uri", ["s3://", "s3:///llm", "s3://-b/m", "s3://b\n/llm", "s3://arn:aws:iam::1:role/x", "x"])
def test_no_location(uri: str) -> None:
    with pytest.raises(ValueError, match="bucket"):
        locate(uri)


@pytest.mark.parametrize("letter", ["x", "ü"])
def test_a_prefix_is_as_long_as_a_key_may_be(letter: str) -> None:
    longest = (letter * 1_023).encode()[:1_022].decode() + "x"
    assert locate(f"s3://weights/{longest}//").prefix == f"{longest}/"
    with pytest.raises(ValueError, match="1024 bytes"):
        locate(f"s3://weights/{longest}x")


def test_no_bucket_has_a_name_longer_than_s3_allows() -> None:
    point = f"{ACCESS_POINT}{'s' * (255 - len(ACCESS_POINT))}"
    assert locate(f"s3://{point}/llm").bucket == point
    with pytest.raises(ValueError, match="no bucket of that name"):
        locate(f"s3://{point}s/llm")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://minio.corp:9021", "https://minio.corp:9021"),
        ("HTTPS://MinIO.Corp:443/", "https://minio.corp"),
        ("http://minio:80/path", "http://minio"),
        ("http://[::1]:9000", "http://[::1]:9000"),
        (" http://minio:9000 ", "http://minio:9000"),
        ("https://user:secret@minio", None),
        ("https://minio?token=secret", None),
        ("ftp://minio", None),
        ("minio:9000", None),
        ("http://minio:port", None),
        ("http://minio:99999", None),
        ("http://[bad", None),
        (f"http://minio/{'x' * 3_000}", None),
        ("", None),
    ],
)
def test_origins(url: str, expected: str | None) -> None:
    assert origin(url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://s3.amazonaws.com", True),
        ("https://s3.us-west-2.amazonaws.com", True),
        ("https://s3-us-west-2.amazonaws.com", True),
        ("https://s3.dualstack.us-west-2.amazonaws.com/", True),
        ("https://s3-fips.dualstack.us-gov-west-1.amazonaws.com", True),
        ("https://s3.cn-north-1.amazonaws.com.cn", True),
        ("https://bucket.vpce-0a1b-c2d3.s3.us-east-1.vpce.amazonaws.com", True),
        ("http://s3.amazonaws.com", False),
        ("https://s3.amazonaws.com:8443", False),
        ("https://s3.amazonaws.com.evil.example", False),
        ("https://evil-s3.us-west-2.amazonaws.com", False),
        ("https://s3.evil.us-west-2.elb.amazonaws.com", False),
        ("https://minio.corp", False),
    ],
)
def test_aws_endpoints(url: str, expected: bool) -> None:  # noqa: FBT001 - a column
    assert is_aws(url) is expected
