"""The command line: `fastload serve`, `fastload preview`, `fastload doctor`, `fastload certs`, `fastload health`."""

from webhook.cli.root import main

__all__ = ["main"]
