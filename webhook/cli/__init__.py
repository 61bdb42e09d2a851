"""The command line: `fastload serve`, `fastload preview`, `fastload certs`."""

from webhook.cli.root import main

__all__ = ["main"]
