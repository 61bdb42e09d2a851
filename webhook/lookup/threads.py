"""Threads for clients that block, which the process does not wait for when it ends."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

_T = TypeVar("_T")


class Threads:
    """A fixed number of threads. An executor's would be waited for, however long a store hangs."""

    def __init__(self, count: int, name: str) -> None:
        # None ends the thread that takes it.
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._count = count
        for number in range(count):
            Thread(target=self._run, name=f"{name}-{number}", daemon=True).start()

    async def call(self, function: Callable[[], _T]) -> _T:
        """Calls a function in the next free thread. Who is cancelled while it waits for one drops the call."""
        promise: Future[_T] = Future()

        def keep() -> None:
            if not promise.set_running_or_notify_cancel():
                return
            try:
                promise.set_result(function())
            except BaseException as error:  # noqa: BLE001 (it is raised where the call was made)
                promise.set_exception(error)

        self._queue.put(keep)
        return await asyncio.wrap_future(promise)

    def close(self) -> None:
        """Ends each thread behind the calls that there are."""
        for _ in range(self._count):
            self._queue.put(None)

    def _run(self) -> None:
        while work := self._queue.get():
            work()
