"""Where built and downloaded programs are kept between test runs, and the lock that lets only one run fill it."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Report = Callable[[str], None]
"""Receives one line at a time about something slow that is going on."""


def cache_folder() -> Path:
    """Return this project's folder below the user's cache directory; it need not exist yet."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "fastload"


@contextmanager
def exclusive(folder: Path, report: Report) -> Iterator[None]:
    """Hold the lock beside `folder`, waiting without a bound for another holder.

    The lock goes with the process, so a killed run leaves nothing to clean up.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(folder.name + ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report(f"waiting for another run that fills {folder}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
