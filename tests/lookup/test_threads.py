"""Threads that nobody waits for: a call's result, its error, and the process's end while one hangs."""

import asyncio
import subprocess
import sys
from threading import Event

import pytest

from webhook.lookup.threads import Threads

HANGING = """
import asyncio, threading
from webhook.lookup.threads import Threads

async def scene():
    threads = Threads(1, "test")
    call = asyncio.ensure_future(threads.call(threading.Event().wait))
    await asyncio.sleep(0)
    call.cancel()
    threads.close()

asyncio.run(scene())
print("ended")
"""


def test_a_call_returns_and_raises_what_the_function_does() -> None:
    async def scene() -> None:
        threads = Threads(2, "test")
        assert await threads.call(lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await threads.call(lambda: 1 // 0)
        threads.close()

    asyncio.run(scene())


def test_a_call_that_was_given_up_before_its_turn_is_not_made() -> None:
    made: list[str] = []

    async def scene() -> None:
        threads, busy = Threads(1, "test"), Event()
        first = asyncio.ensure_future(threads.call(lambda: busy.wait(20)))
        second = asyncio.ensure_future(threads.call(lambda: made.append("second")))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.sleep(0)
        busy.set()
        await first
        await threads.call(lambda: made.append("third"))
        threads.close()

    asyncio.run(scene())
    assert made == ["third"]


def test_a_process_ends_while_a_call_hangs() -> None:
    done = subprocess.run([sys.executable, "-c", HANGING], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("ended\n", "")
