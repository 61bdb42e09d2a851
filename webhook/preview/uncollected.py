"""Reading large manifests without the garbage collector."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_under_way = 0


@contextmanager
def uncollected() -> Iterator[None]:
    """Keeps the garbage collector from going through a large manifest again and again.

    It would stop the whole process, reviews too, for a quarter of a second at a time (measured with 5 MB of YAML), and
    a manifest has no cycles to collect.
    """
    global _under_way  # noqa: PLW0603 (so is the collector)
    with _lock:
        _under_way += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _under_way -= 1
            if not _under_way:
                gc.enable()
