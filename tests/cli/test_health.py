"""`fastload health` against servers that are well, unwell and away."""

import socket
import threading
from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner, Result

from webhook.cli import main

Answering = Callable[[bytes], int]


@pytest.fixture
def answering() -> Iterator[Answering]:
    """Starts a server that sends these bytes to whoever asks, and tells its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def start(answer: bytes) -> int:
            def serve() -> None:
                connection, _ = listener.accept()
                with connection:
                    assert connection.recv(65536).startswith(b"GET /healthz ")
                    connection.sendall(answer)

            threading.Thread(target=serve, daemon=True).start()
            return int(listener.getsockname()[1])

        yield start


def health(**settings: str | int) -> Result:
    environment = {f"FASTLOAD_{name.upper()}": str(value) for name, value in settings.items()}
    return CliRunner().invoke(main, ["health"], env=environment)


@pytest.mark.parametrize("host", [{}, {"host": ""}, {"host": "0.0.0.0"}, {"host": "127.0.0.1"}])
def test_a_server_that_lives_is_healthy_wherever_it_listens(answering: Answering, host: dict[str, str]) -> None:
    result = health(admin_port=answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), **host)
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", "answers 500"),
        (b"\x15\x03\x01\x00\x02\x02\x16\r\n", "BadStatusLine"),
        (b"", "RemoteDisconnected"),
    ],
)
def test_any_other_answer_is_not(answering: Answering, answer: bytes, problem: str) -> None:
    port = answering(answer)
    result = health(admin_port=port)
    assert result.exit_code == 2
    assert f"127.0.0.1 port {port}" in result.stderr
    assert problem in result.stderr


def test_nobody_there_is_not_healthy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    result = health(admin_port=port)
    assert result.exit_code == 2
    assert f"no answer from 127.0.0.1 port {port}: ConnectionRefusedError" in result.stderr


def test_a_port_that_nobody_knows_is_said_to_be_none() -> None:
    result = health(admin_port=0)
    assert result.exit_code == 2
    assert "FASTLOAD_ADMIN_PORT is 0" in result.stderr
