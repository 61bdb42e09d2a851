"""The interpreter and its standard library, without what a server has no use for."""

import shutil
from pathlib import Path

from deploy.image.place import PYTHON, STANDARD, within

# What people, tests and builds use, and the packages whose libraries nothing else in the image would need.
_LEFT_OUT = (
    *("__pycache__", "site-packages", "config-*", "test", "tests", "idle_test", "venv"),
    *("curses", "dbm", "distutils", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "sqlite3", "tkinter", "turtle*"),
    *("_curses*.so", "_dbm*.so", "_gdbm*.so", "_sqlite3*.so", "_tkinter*.so", "nis*.so", "ossaudiodev*.so"),
    *("readline*.so", "_ctypes_test*.so", "_test*.so", "_xxtestfuzz*.so", "xx*.so"),
)


def copy(root: Path) -> None:
    """Copies the interpreter that runs this, also where that is a virtual environment's."""
    shutil.copytree(STANDARD, within(root, STANDARD), ignore=shutil.ignore_patterns(*_LEFT_OUT))
    within(root, PYTHON).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(PYTHON, within(root, PYTHON))
