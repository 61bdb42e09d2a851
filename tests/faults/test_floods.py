"""Many connections that are of no use: they are bounded in number and memory, and reviews go on between them."""

import contextlib
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import pytest

from tests.faults.process import Process, review_of
from tests.faults.table import FLOODS
from tests.serving import eventually, tls
from webhook.server.certificates import Files

MANY = 200
# A connection over TLS takes some 50 KiB, and a body's first piece a few more.
BOUND_MIB = 64

Connect = Callable[[], socket.socket]


@pytest.fixture
def plain(shared: Process) -> Connect:
    """Connects to the review port, and no more."""
    address = urlsplit(shared.running.reviews)
    return lambda: socket.create_connection((address.hostname or "", address.port or 0), timeout=60)


@pytest.fixture
def secure(plain: Connect, files: Files) -> Connect:
    """Connects, and completes the handshake."""
    context = tls(files.authority)
    return lambda: context.wrap_socket(plain(), server_hostname="localhost")


@contextmanager
def flood(shared: Process, connect: Connect, first: bytes) -> Iterator[list[socket.socket]]:
    """Holds many connections, each with these bytes sent; reviews are answered and memory is bounded meanwhile."""
    shared.forget_peak()
    before, peak = shared.descriptors(), shared.peak_mib()
    with ExitStack() as stack:
        held = [stack.enter_context(connect()) for _ in range(MANY)]
        for each in held:
            each.sendall(first)
        for _ in range(20):
            assert shared.ask(review_of("s3://healthy/m/")).status == "injected"
        assert shared.descriptors() <= before + MANY + 16
        yield held
        assert shared.peak_mib() - peak < BOUND_MIB
    eventually(lambda: shared.descriptors() < before + MANY // 2)


def test_connections_that_never_begin_a_handshake_are_closed(shared: Process, plain: Connect) -> None:
    with flood(shared, plain, b"") as held:
        for each in held:
            assert each.recv(1) == b"", FLOODS["silent"].name
    assert shared.metric("fastload_tls_handshakes_total", stage="completed") > 0


def test_connections_that_send_no_request_are_bounded_in_what_they_take(shared: Process, secure: Connect) -> None:
    with flood(shared, secure, b""):
        assert shared.metric("process_open_fds") >= MANY, FLOODS["idle"].name


def test_headers_that_come_byte_by_byte_are_given_up(shared: Process, secure: Connect) -> None:
    before = shared.metric("fastload_connections_dropped_total", cause="slow")
    with flood(shared, secure, b"POST /mutate HTTP/1.1\r\nX-A: ") as held:
        for each in held[: MANY // 2]:
            with contextlib.suppress(OSError):
                each.sendall(b"b")
        for each in held:
            ends(each)
    assert shared.metric("fastload_connections_dropped_total", cause="slow") == before + MANY, FLOODS["loris"].name


def test_headers_without_an_end_are_cut_off(shared: Process, secure: Connect) -> None:
    shared.forget_peak()
    before, peak = shared.metric("fastload_connections_dropped_total", cause="headers"), shared.peak_mib()
    for begun, more in ((b"X-A: ", b"x" * 140_000), (b"", b"x: yy\r\n" * 20_000)):
        with secure() as connection:
            connection.sendall(b"POST /mutate HTTP/1.1\r\n" + begun)
            with pytest.raises((ConnectionError, ssl.SSLError)):
                send_on_and_on(connection, more)
    assert shared.metric("fastload_connections_dropped_total", cause="headers") == before + 2, FLOODS["heads"].name
    assert shared.peak_mib() - peak < BOUND_MIB
    assert shared.ask(review_of("s3://healthy/m/")).status == "injected"


def test_bodies_that_do_not_arrive_are_given_up(shared: Process, secure: Connect) -> None:
    before = shared.metric("fastload_reviews_total", outcome="refused")
    head = b"POST /mutate HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n"
    with flood(shared, secure, head + b" " * 50_000) as held:
        for each in held:
            assert each.recv(1000).startswith(b"HTTP/1.1 408 "), FLOODS["bodies"].name
    assert shared.metric("fastload_reviews_total", outcome="refused") == before + MANY


def send_on_and_on(connection: socket.socket, piece: bytes) -> None:
    for _ in range(1000):
        connection.sendall(piece)


def ends(connection: socket.socket) -> None:
    """Waits until the other end closes the connection, in whatever way."""
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        assert connection.recv(1) == b""
