"""`fastload health`."""

from http.client import HTTPConnection, HTTPException

import click

from webhook.cli.failure import Failure
from webhook.cli.options import settings_from

# An answer takes milliseconds; a process that needs longer is not well.
_SECONDS = 3.0
_OK = 200
# A server on every address is asked on the loopback one.
_LOOPBACK = {None: "127.0.0.1", "": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (not bound here)


@click.command("health", short_help="Tell whether the webhook on this machine lives.")
def command() -> None:
    """Tell whether the webhook on this machine lives, as health checks of containers want to know.

    It asks the admin port that FASTLOAD_HOST and FASTLOAD_ADMIN_PORT name, and ends with status 2 where no healthy
    answer comes within 3 seconds. Kubernetes asks the port itself and needs no command.
    """
    server = settings_from({}).server
    host, port = _LOOPBACK.get(server.host, server.host or ""), server.admin_port
    if port == 0:
        raise Failure("FASTLOAD_ADMIN_PORT is 0, so the webhook took a free port that nobody else knows")
    connection = HTTPConnection(host, port, timeout=_SECONDS)
    try:
        connection.request("GET", "/healthz")
        status = connection.getresponse().status
    except (OSError, HTTPException) as error:
        raise Failure(f"no answer from {host} port {port}: {type(error).__name__}: {error}") from None
    finally:
        connection.close()
    if status != _OK:
        raise Failure(f"{host} port {port} answers {status}")
    click.echo(f"{host} port {port} is healthy")
