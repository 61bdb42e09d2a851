import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from tests.reviews import UID, Json, Ledger, endpoint, patch_of, pod, post, response, review, send
from webhook.admission.asgi import Message, Send
from webhook.admission.decision import Outcome
from webhook.admission.settings import AdmissionSettings

TUNED = json.dumps(review(pod(inject="true"))).encode()


def test_a_review_is_answered_as_json_with_its_own_uid() -> None:
    answered = post(endpoint(), TUNED)
    assert answered.headers["content-type"] == "application/json"
    assert int(answered.headers["content-length"]) == len(answered.content)
    assert answered.json()["response"]["uid"] == UID


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
def test_another_method_is_told_which_one(method: str) -> None:
    answered = asyncio.run(send(endpoint(), method, TUNED))
    assert (answered.status_code, answered.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 200),
        ("application/json; charset=utf-8", 200),
        ("Application/JSON ;charset=utf-8", 200),
        ("application/yaml", 415),
        ("application/json-patch+json", 415),
        ("", 415),
    ],
)
def test_only_json_is_read(content_type: str, status: int) -> None:
    assert post(endpoint(), TUNED, content_type=content_type).status_code == status


def without(field: str) -> Json:
    whole = review(pod())
    del whole["request"][field]
    return whole


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(b"", "truncated", id="empty"),
        pytest.param(b"{", "truncated", id="a brace"),
        pytest.param(TUNED[:-20], "truncated", id="truncated"),
        pytest.param(TUNED + b"x", "malformed", id="something after it"),
        pytest.param(b"\xff\xfe{}", "cannot be read", id="not UTF-8"),
        pytest.param(b"apiVersion: v1", "malformed", id="YAML"),
        pytest.param(b"[]", "Expected `object`", id="a list"),
        pytest.param(b"[" * 10_000 + b"]" * 10_000, "Expected `object`", id="lists 10,000 deep"),
        pytest.param(b'{"request":' * 10_000, "nested too deeply", id="objects 10,000 deep"),
        pytest.param(
            TUNED.replace(b'"dryRun": false', b'"dryRun": ' + b"[" * 10_000 + b"]" * 10_000),
            "nested too deeply",
            id="10,000 deep in a field that is not read",
        ),
        pytest.param({**review(pod()), "apiVersion": "admission.k8s.io/v1beta1"}, "admission.k8s.io/v1", id="v1beta1"),
        pytest.param({**review(pod()), "kind": "Pod"}, "AdmissionReview", id="another kind"),
        pytest.param({**review(pod()), "request": None}, "$.request", id="request null"),
        pytest.param({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}, "request", id="no request"),
        pytest.param(without("uid"), "uid", id="no uid"),
        pytest.param(review(pod(), uid=""), "$.request.uid", id="uid empty"),
        pytest.param(review(pod(), uid=7), "$.request.uid", id="uid a number"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_the_reason(body: bytes | Json, message: str) -> None:
    ledger = Ledger()
    answered = post(endpoint(ledger=ledger), body)
    assert answered.status_code == 400
    assert message in answered.text
    assert ledger.entries == [(Outcome.REFUSED, ())]


def test_the_body_has_a_limit() -> None:
    ledger = Ledger()
    answered = post(endpoint(ledger=ledger), TUNED[:-1] + b" " * 10_000_000 + b"}")
    assert (answered.status_code, answered.headers["connection"]) == (413, "close")
    assert "3145728 bytes" in answered.text
    assert ledger.entries == [(Outcome.REFUSED, ())]


def test_a_large_pod_below_the_limit_is_answered() -> None:
    large = pod(inject="true")
    large["metadata"]["annotations"]["other"] = "x" * 200_000
    large["spec"]["containers"][0]["futureField"] = "y" * 800_000
    assert patch_of(response(endpoint(), review(large)))


def test_a_body_in_pieces_is_put_together() -> None:
    async def exchange() -> list[Any]:
        pieces = iter([TUNED[:10], TUNED[10:2000], TUNED[2000:]])
        sent: list[Any] = []

        async def receive() -> Json:
            piece = next(pieces)
            return {"type": "http.request", "body": piece, "more_body": piece != TUNED[2000:]}

        await endpoint()(scope(), receive, collect(sent))
        return sent

    start, body = asyncio.run(exchange())
    assert start["status"] == 200
    assert json.loads(body["body"])["response"]["uid"] == UID


def test_a_body_that_does_not_arrive_is_given_up() -> None:
    async def exchange() -> list[Any]:
        sent: list[Any] = []
        app = endpoint(settings=AdmissionSettings(body_seconds=0.01))
        await app(scope(), asyncio.Event().wait, collect(sent))  # type: ignore[arg-type] # never returns
        return sent

    start, _body = asyncio.run(exchange())
    assert (start["status"], dict(start["headers"])[b"connection"]) == (408, b"close")


def test_a_client_that_is_gone_gets_no_answer() -> None:
    async def exchange() -> list[Any]:
        messages: Iterator[Json] = iter(
            [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
        )
        sent: list[Any] = []

        async def receive() -> Json:
            return next(messages)

        await endpoint()(scope(), receive, collect(sent))
        return sent

    assert asyncio.run(exchange()) == []


def test_a_broken_counter_costs_no_answer() -> None:
    class Broken(Ledger):
        def observe(self, *_: object) -> None:
            raise RuntimeError

    assert patch_of(response(endpoint(ledger=Broken()), TUNED))


def test_what_is_refused_is_logged_by_its_kind_alone_and_a_flood_of_it_once() -> None:
    app = endpoint()
    with structlog.testing.capture_logs() as logs:
        for _ in range(3):
            post(app, b"s3cret")
        post(app, TUNED, content_type="text/s3cret")
    assert [(entry["log_level"], entry["status"], entry["problem"]) for entry in logs] == [
        ("warning", 400, "bad request"),
        ("warning", 415, "unsupported media type"),
    ]
    assert "s3cret" not in str(logs)


@given(st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
def test_no_bytes_yield_a_server_error(body: bytes) -> None:
    assert post(endpoint(), body).status_code == 400


@given(st.data())
def test_a_damaged_review_is_refused_or_allowed(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(TUNED) - 1))
    damaged = TUNED[:at] + data.draw(st.binary(max_size=4)) + TUNED[at + data.draw(st.integers(0, 4)) :]
    answered = post(endpoint(), damaged)
    assert answered.status_code in {200, 400}
    if answered.status_code == 200:
        assert answered.json()["response"]["allowed"] is True


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from(["uid", "kind", "resource", "namespace", "operation", "object", "name", "subResource"]), JSON
    )
)
def test_a_review_of_anything_is_refused_or_allowed(fields: Json) -> None:
    answered = post(endpoint(), review(pod(inject="true"), **fields))
    assert answered.status_code in {200, 400}
    if answered.status_code == 200:
        assert answered.json()["response"]["allowed"] is True
        assert answered.json()["response"]["uid"] == fields.get("uid", UID)


def scope() -> Json:
    return {"type": "http", "method": "POST", "path": "/mutate", "headers": [(b"content-type", b"application/json")]}


def collect(sent: list[Any]) -> Send:
    async def sink(message: Message) -> None:
        sent.append(message)

    return sink
