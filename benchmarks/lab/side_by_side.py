"""Threads that go on side by side, and are given up together."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager


@contextmanager
def side_by_side(number: int, give_up: Callable[[], None]) -> Iterator[Executor]:
    """Gives so many threads. Where the block fails, as by Ctrl-C, what waits is dropped, and `give_up` is called."""
    with ThreadPoolExecutor(number) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            give_up()
            raise
