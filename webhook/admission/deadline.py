"""The deadline of a whole review, the last resort above the look-ups' own."""

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

_T = TypeVar("_T")


class TooLateError(Exception):
    """The deadline of the whole review has passed."""


async def within(due: float, awaitable: Awaitable[_T]) -> _T:
    """Awaits until the monotonic clock says `due`.

    Raises:
        TooLateError: it took longer. A TimeoutError of the awaitable's own is passed on as it is.
    """
    timeout = asyncio.timeout(due - time.monotonic())
    try:
        async with timeout:
            return await awaitable
    except TimeoutError:
        if timeout.expired():
            raise TooLateError from None
        raise
