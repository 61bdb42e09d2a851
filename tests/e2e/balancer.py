"""What kube-proxy does for a Service: each connection to its address goes to one of the pods that are ready."""

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from itertools import count
from types import TracebackType
from typing import Self

_Address = tuple[str, int]


class Balancer:
    """Listens on a Service's address while it is entered; connections take turns over `backends`."""

    def __init__(self, address: _Address) -> None:
        self._address = address
        self._turn = count()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        # Addresses of the pods that are ready. A connection that there is stays where it is.
        self.backends: tuple[_Address, ...] = ()

    def __enter__(self) -> Self:
        """Begin to listen."""
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close every connection."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._connect, *self._address)

    async def _close(self) -> None:
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        backends = self.backends
        try:
            if backends:
                near, far = (reader, writer), await asyncio.open_connection(*backends[next(self._turn) % len(backends)])
                try:
                    await _either(_pump(near[0], far[1]), _pump(far[0], near[1]))
                finally:
                    far[1].close()
        except (OSError, asyncio.CancelledError):
            pass  # the connection ends, as where a pod is gone
        finally:
            writer.close()


async def _either(*pumps: Coroutine[None, None, None]) -> None:
    """Ends both directions with the first of them."""
    tasks = [asyncio.ensure_future(pump) for pump in pumps]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
