"""Waiting for something to come true, with a bound."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_PAUSE_S = 0.05


def wait_until(probe: Callable[[], T], *, what: str, timeout_s: float = 30) -> T:
    """Call `probe` until it returns something truthy, and return that.

    Args:
        probe: is called at least once, and every 50 ms.
        what: names what is waited for, in the message of the error.
        timeout_s: seconds after which no further call is made.

    Raises:
        TimeoutError: the time is up.
    """
    deadline = time.monotonic() + timeout_s
    while not (result := probe()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {timeout_s:g} s")
        time.sleep(_PAUSE_S)
    return result
