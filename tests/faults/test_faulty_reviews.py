"""What is no review: refused by its status, which the API server takes for no answer, and the pod is made as it was."""

import json
import socket
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.faults.process import Process, review_of
from tests.faults.table import REVIEWS
from tests.serving import eventually, tls
from webhook.server.certificates import Files

BOUND_MIB = 64
JSON = "application/json"
REVIEW = json.dumps(review_of("s3://healthy/m/")).encode()
DEEP = b'{"a":' * 100_000

CASES = {
    "empty": (b"", JSON, 400),
    "malformed": (b"not a review", JSON, 400),
    "truncated": (REVIEW[:-40], JSON, 400),
    "large": (REVIEW[:-1] + b" " * 10_000_000 + b"}", JSON, 413),
    "deep": (DEEP, JSON, 400),
    "deep-pod": (REVIEW.replace(b'"object": {', b'"object": {"spec":%b1%b,' % (DEEP, b"}" * 100_000)), JSON, 400),
    "version": (REVIEW.replace(b"admission.k8s.io/v1", b"admission.k8s.io/v1beta1"), JSON, 400),
    "type": (REVIEW, "text/yaml", 415),
}


def test_every_fault_of_a_review_is_tried() -> None:
    assert {*CASES, "late", "odd"} >= REVIEWS.keys()


@pytest.mark.parametrize(("name", "case"), CASES.items(), ids=CASES)
def test_what_is_no_review_is_refused_by_its_status_and_counted(
    shared: Process, name: str, case: tuple[bytes, str, int]
) -> None:
    body, content_type, status = case
    shared.forget_peak()
    peak, refused = shared.peak_mib(), shared.metric("fastload_reviews_total", outcome="refused")

    reply = shared.client.post(shared.running.reviews, content=body, headers={"Content-Type": content_type})

    assert reply.status_code == status, name
    assert shared.ask(review_of("s3://healthy/m/")).status == "injected"
    assert shared.metric("fastload_reviews_total", outcome="refused") == refused + 1
    assert shared.peak_mib() - peak < BOUND_MIB


def test_a_body_that_does_not_arrive_is_given_up(shared: Process, files: Files) -> None:
    refused = shared.metric("fastload_reviews_total", outcome="refused")
    with connected(shared, files.authority) as connection:
        connection.sendall(b"POST /mutate HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{")
        assert connection.recv(1000).startswith(b"HTTP/1.1 408 ")
    eventually(lambda: shared.metric("fastload_reviews_total", outcome="refused") == refused + 1)


@pytest.mark.parametrize(
    "pod", [b'{"spec":{"containers":7}}', b"[]", b"null", b'"pod"'], ids=["number", "list", "null", "text"]
)
def test_a_pod_that_cannot_be_read_is_made_as_it_was(shared: Process, pod: bytes) -> None:
    before = shared.metric("fastload_reasons_total", reason="unreadable-pod")
    request = b'{"uid":"odd","kind":{"version":"v1","kind":"Pod"},"resource":{"version":"v1","resource":"pods"},'
    request += b'"operation":"CREATE","object":%b}' % pod
    body = b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":%b}' % request

    reply = shared.client.post(shared.running.reviews, content=body, headers={"Content-Type": JSON})

    response = reply.json()["response"]
    assert (response["uid"], response["allowed"], "patch" in response) == ("odd", True, False)
    assert shared.metric("fastload_reasons_total", reason=REVIEWS["odd"].reason or "") == before + 1
    assert shared.ask(review_of("s3://healthy/m/")).status == "injected"


def connected(shared: Process, authority: Path) -> ssl.SSLSocket:
    """A connection to the review port, its handshake completed."""
    address = urlsplit(shared.running.reviews)
    plain = socket.create_connection((address.hostname or "", address.port or 0), timeout=30)
    return tls(authority).wrap_socket(plain, server_hostname="localhost")
