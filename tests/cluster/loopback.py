"""A loopback address of one's own, so that control planes side by side don't fight for ports."""

import random
import socket

SERVICE_RANGE = "127.96.0.0/16"
"""Cluster IPs are loopback addresses: on Linux a test can listen on whatever address a Service was given."""


def private_address() -> str:
    """Return a random address in 127.97.0.0/16.

    Outgoing connections on loopback start at 127.0.0.1, so they can't take a port here between our choosing it and a
    server's binding it.
    """
    return f"127.97.{random.randint(0, 255)}.{random.randint(1, 254)}"


def free_ports(address: str, count: int) -> list[int]:
    """Return distinct TCP ports that nobody listens on at this address."""
    sockets = [socket.create_server((address, 0)) for _ in range(count)]
    try:
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
