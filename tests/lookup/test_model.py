"""Listing models, against moto's S3 and against servers that misbehave."""

import asyncio
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, Literal

import boto3
import pytest
from botocore.session import Session, get_session
from moto import mock_aws

from webhook.lookup import model
from webhook.lookup.facts import Shards, Unknown
from webhook.lookup.listing import Listing, Route
from webhook.lookup.model import Models, make_client
from webhook.lookup.uri import Location
from webhook.reasons import Code

REGION: Literal["eu-west-1"] = "eu-west-1"


@pytest.fixture(autouse=True)
def aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No credentials, endpoints or files of the machine's own; returns the file of boto3's configuration."""
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return tmp_path / "config"


@pytest.fixture
def models() -> Iterator[Models]:
    made = Models()
    yield made
    made.close()


def at(uri_bucket: str = "weights", prefix: str = "llm/", *, route: Route | None = None) -> Listing:
    return Listing(location=Location(uri_bucket, prefix), route=route or Route())


def code_of(found: Shards | Unknown) -> Code:
    assert isinstance(found, Unknown), found
    return found.reason.code


class TestStore:
    """A store that answers as it should."""

    @pytest.fixture(autouse=True)
    def store(self) -> Iterator[Any]:
        with mock_aws():
            client = boto3.client("s3", region_name=REGION)
            client.create_bucket(Bucket="weights", CreateBucketConfiguration={"LocationConstraint": REGION})
            yield client
            client.close()

    def test_direct_children_only(self, models: Models, store: Any) -> None:  # noqa: ANN401 - boto3's client
        for key, size in {
            "llm/": 0,
            "llm/model-00001-of-00002.safetensors": 5,
            "llm/model-00002-of-00002.safetensors": 3,
            "llm/.hidden.safetensors": 1,
            "llm/model.safetensors.index.json": 100,
            "llm/MODEL.SAFETENSORS": 100,
            "llm/original/consolidated.safetensors": 100,
            "llm-2/model.safetensors": 100,
            "llm/folder.safetensors/": 0,
        }.items():
            store.put_object(Bucket="weights", Key=key, Body=b"x" * size)
        assert models.list_shards(at()) == Shards(count=3, total_bytes=9, largest_bytes=5, bucket_region=REGION)

    def test_the_root_of_a_bucket(self, models: Models, store: Any) -> None:  # noqa: ANN401 - boto3's client
        store.put_object(Bucket="weights", Key="model.safetensors", Body=b"xx")
        store.put_object(Bucket="weights", Key="llm/model.safetensors", Body=b"x")
        found = models.list_shards(at(prefix=""))
        assert found == Shards(count=1, total_bytes=2, largest_bytes=2, bucket_region=REGION)

    def test_several_pages(
        self,
        models: Models,
        store: Any,  # noqa: ANN401 - boto3's client
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "10")
        for number in range(25):
            store.put_object(Bucket="weights", Key=f"llm/model-{number:05}.safetensors", Body=b"xy")
        found = models.list_shards(at())
        assert found == Shards(count=25, total_bytes=50, largest_bytes=2, bucket_region=REGION)

    def test_odd_names(self, models: Models, store: Any) -> None:  # noqa: ANN401 - boto3's client
        store.put_object(Bucket="weights", Key="sp ace/ünï?&#+/m%20.safetensors", Body=b"x")
        found = models.list_shards(at(prefix="sp ace/ünï?&#+/"))
        assert isinstance(found, Shards)
        assert found.count == 1

    def test_nothing_there(self, models: Models) -> None:
        assert code_of(models.list_shards(at(prefix="absent/"))) is Code.NO_SAFETENSORS

    def test_no_such_bucket(self, models: Models) -> None:
        assert code_of(models.list_shards(at("absent"))) is Code.NO_SUCH_BUCKET

    def test_an_access_point(self, models: Models, store: Any) -> None:  # noqa: ANN401 - boto3's client
        store.put_object(Bucket="weights", Key="llm/model.safetensors", Body=b"x")
        control = boto3.client("s3control", region_name=REGION)
        control.create_access_point(AccountId="123456789012", Name="models", Bucket="weights")
        control.close()
        found = models.list_shards(at(f"arn:aws:s3:{REGION}:123456789012:accesspoint/models"))
        assert isinstance(found, Shards)
        assert found.count == 1

    def test_off_the_event_loop(self, models: Models, store: Any) -> None:  # noqa: ANN401 - boto3's client
        store.put_object(Bucket="weights", Key="llm/model.safetensors", Body=b"x")
        assert isinstance(asyncio.run(models.fetch(at())), Shards)

    def test_a_client_is_made_once_for_each_route(self, models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
        made: list[Route] = []
        make = model.make_client

        def count(session: Session, route: Route) -> Any:  # noqa: ANN401 - boto3's client
            made.append(route)
            return make(session, route)

        monkeypatch.setattr(model, "make_client", count)
        models.warm(Route())
        for prefix in ("a/", "b/"):
            models.list_shards(at(prefix=prefix))
        models.list_shards(at(route=Route(region="us-east-1")))
        assert made == [Route(), Route(region="us-east-1")]


Answer = tuple[int, dict[str, str], bytes]

PAGE = """<?xml version="1.0"?><ListBucketResult><IsTruncated>{truncated}</IsTruncated>
<NextContinuationToken>{token}</NextContinuationToken>{contents}</ListBucketResult>"""
ENTRY = "<Contents><Key>llm/model-{number}.safetensors</Key><Size>{size}</Size></Contents>"


def page(numbers: Sequence[int] = (0,), *, size: object = 7, following: str = "") -> bytes:
    """A page of a listing, with a token where another follows."""
    contents = "".join(ENTRY.format(number=number, size=size) for number in numbers)
    return PAGE.format(truncated=str(bool(following)).lower(), token=following, contents=contents).encode()


def error(code: str, status: int, headers: dict[str, str] | None = None) -> Answer:
    return status, headers or {}, f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode()


@contextmanager
def serving(answer: Callable[[str], Answer]) -> Iterator[tuple[str, list[str]]]:
    """Serves what `answer` says to a path; yields the address and the list of hosts and paths asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.headers['Host']}{self.path}")
            status, headers, body = answer(self.path)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="module")
def lasting() -> Iterator[tuple[Models, Route, list[Answer]]]:
    """A server whose answer a test sets, and a client of it: making one takes a while."""
    answers: list[Answer] = []
    models = Models()
    with serving(lambda _: answers[0]) as (address, _):
        yield models, Route(endpoint=address), answers
    models.close()


class TestMisbehaviour:
    """Stores that refuse, fail or talk nonsense: every one is a reason, none an exception."""

    @pytest.fixture(autouse=True)
    def quickly(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """One try: the wait between tries is botocore's, and shows nothing."""
        monkeypatch.setattr(model, "_ATTEMPTS", 1)

    @pytest.mark.parametrize(
        ("answer", "code"),
        [
            (error("AccessDenied", 403), Code.S3_ACCESS_DENIED),
            (error("InvalidAccessKeyId", 403), Code.S3_ACCESS_DENIED),
            (error("ExpiredToken", 400), Code.S3_ACCESS_DENIED),
            (error("NoSuchBucket", 404), Code.NO_SUCH_BUCKET),
            (error("SlowDown", 503), Code.S3_THROTTLED),
            (error("PermanentRedirect", 301), Code.S3_WRONG_REGION),
            (error("AuthorizationHeaderMalformed", 400), Code.S3_WRONG_REGION),
            (error("InternalError", 500), Code.S3_BAD_ANSWER),
            (error("<script>" * 20, 400), Code.S3_BAD_ANSWER),
            ((403, {}, b""), Code.S3_ACCESS_DENIED),
            ((404, {}, b"<html>not here</html>"), Code.NO_SUCH_BUCKET),
            ((429, {}, b""), Code.S3_THROTTLED),
            ((503, {}, b"busy"), Code.S3_THROTTLED),
            ((500, {}, b"broken"), Code.S3_BAD_ANSWER),
            ((200, {}, b"<<garbage"), Code.S3_BAD_ANSWER),
            ((200, {}, b""), Code.NO_SAFETENSORS),
            ((200, {}, page(size="many")), Code.S3_BAD_ANSWER),
            ((200, {}, page().replace(b"<Size>7</Size>", b"")), Code.S3_BAD_ANSWER),
            ((200, {}, page(following="same")), Code.S3_BAD_ANSWER),
            ((200, {}, page()[:-30]), Code.S3_BAD_ANSWER),
        ],
        ids=lambda value: value.value if isinstance(value, Code) else "",
    )
    def test_reasons(self, lasting: tuple[Models, Route, list[Answer]], answer: Answer, code: Code) -> None:
        models, route, answers = lasting
        answers[:] = [answer]
        found = models.list_shards(at(route=route))
        assert code_of(found) is code
        assert isinstance(found, Unknown)
        assert "<" not in found.reason.text

    def test_nobody_listens(self, models: Models) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{taken.getsockname()[1]}"
            assert code_of(models.list_shards(at(route=Route(endpoint=address)))) is Code.S3_UNREACHABLE

    def test_a_store_that_hangs(self, models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(model, "_READ_SECONDS", 0.05)
        released = Event()

        def hang(_: str) -> Answer:
            released.wait(30)
            return 200, {}, b""

        with serving(hang) as (address, _):
            found = models.list_shards(at(route=Route(endpoint=address)))
            released.set()
        assert code_of(found) is Code.S3_UNREACHABLE

    def test_pages_without_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(model, "LISTING_SECONDS", 10.0)
        ticks = iter(range(1000))
        models = Models(clock=lambda: float(next(ticks)))
        tokens = iter(range(1000))
        with serving(lambda _: (200, {}, page(following=str(next(tokens))))) as (address, asked):
            found = models.list_shards(at(route=Route(endpoint=address)))
        models.close()
        assert code_of(found) is Code.S3_UNREACHABLE
        assert len(asked) == 11

    def test_no_credentials(self, models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        assert code_of(models.list_shards(at())) is Code.S3_NO_CREDENTIALS

    def test_a_profile_that_does_not_exist(self, models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_PROFILE", "absent")
        assert code_of(models.list_shards(at())) is Code.S3_NO_CREDENTIALS

    def test_an_arn_that_boto3_cannot_serve(self, models: Models) -> None:
        found = models.list_shards(at("arn:aws:s3-outposts:us-west-2:123456789012:accesspoint/x"))
        assert code_of(found) is Code.BAD_MODEL_URI


def client_of(route: Route) -> Any:  # noqa: ANN401 - boto3's client, whose configuration has no types
    """A client as a listing by this route gets it."""
    client = make_client(get_session(), route)
    client.close()
    return client


class TestWays:
    """Endpoint, style and credentials, as boto3's users expect them."""

    def test_a_store_that_is_not_aws_is_addressed_by_path(self, models: Models) -> None:
        with serving(lambda _: (200, {}, page())) as (address, asked):
            found = models.list_shards(at(route=Route(endpoint=address.replace("127.0.0.1", "localhost"))))
        assert found == Shards(count=1, total_bytes=7, largest_bytes=7, bucket_region=None)
        assert asked[0].startswith("localhost:")
        assert "/weights?" in asked[0]

    def test_the_operators_environment_names_the_endpoint(
        self, models: Models, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serving(lambda _: (200, {}, page())) as (address, asked):
            monkeypatch.setenv("AWS_ENDPOINT_URL_S3", address.replace("127.0.0.1", "localhost"))
            assert isinstance(models.list_shards(at()), Shards)
        assert "/weights?" in asked[0]

    def test_the_profile_may_say_otherwise(self, aws: Path) -> None:
        aws.write_text("[default]\ns3 =\n    addressing_style = virtual\n")
        client = client_of(Route(endpoint="http://minio.corp:9000"))
        assert client.meta.config.s3["addressing_style"] == "virtual"

    @pytest.mark.parametrize(("path_style", "style"), [(True, "path"), (None, None)])
    def test_style_on_aws(self, path_style: bool | None, style: str | None) -> None:  # noqa: FBT001
        client = client_of(Route(path_style=path_style))
        assert (client.meta.config.s3 or {}).get("addressing_style") == style

    def test_dual_stack(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_USE_DUALSTACK_ENDPOINT", "true")
        client = client_of(Route(region=REGION))
        assert client.meta.config.use_dualstack_endpoint

    def test_unsigned(self, models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        with serving(lambda _: (200, {}, page())) as (address, _):
            assert code_of(models.list_shards(at(route=Route(endpoint=address)))) is Code.S3_NO_CREDENTIALS
            assert isinstance(models.list_shards(at(route=Route(endpoint=address, unsigned=True))), Shards)

    def test_pages_are_followed(self, models: Models) -> None:
        pages = iter(
            [page(range(1000), following="a"), page(range(1000, 2000), following="b"), page(range(2000, 2500))]
        )
        with serving(lambda _: (200, {}, next(pages))) as (address, asked):
            found = models.list_shards(at(route=Route(endpoint=address)))
        assert found == Shards(count=2500, total_bytes=17_500, largest_bytes=7)
        assert "continuation-token=b" in asked[2]

    def test_a_bucket_in_another_region_is_found_by_its_redirect(self, models: Models) -> None:
        answers = iter([error("PermanentRedirect", 301, {"x-amz-bucket-region": REGION}), (200, {}, page())])
        with serving(lambda _: next(answers)) as (address, asked):
            found = models.list_shards(at(route=Route(endpoint=address, region="us-east-1")))
        assert found == Shards(count=1, total_bytes=7, largest_bytes=7)
        assert len(asked) == 2
