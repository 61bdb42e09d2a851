"""The last steps: everything proven and compiled, and nothing left that would differ between two runs."""

import os
import subprocess
import sys
from pathlib import Path

from deploy.image.place import PREFIX, PYTHON, within

_IMPORT_ALL = """
import importlib, pkgutil, webhook
for module in pkgutil.walk_packages(webhook.__path__, "webhook."):
    importlib.import_module(module.name)
"""


def prove(root: Path) -> None:
    """Loads every module of fastload from the root: what was left out that somebody needs is told now, not by a pod.

    Raises:
        subprocess.CalledProcessError: a module does not load; the interpreter has said which.
    """
    subprocess.run([str(within(root, PYTHON)), "-I", "-B", "-c", _IMPORT_ALL], env={}, check=True)


def compile_all(root: Path) -> None:
    """Compiles every module. The bytecode is taken as it is: no time of a file, which an image may change, undoes it.

    In one process with fixed hashes, as the bytes of a compiled set and of shared strings depend on both.
    """
    flags = ("-q", "--invalidation-mode", "unchecked-hash", "-s", str(root), "-p", "/")
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-sP", "-m", "compileall", *flags, str(within(root, PREFIX))]
    subprocess.run(command, env=environment, check=True)


def settle(root: Path) -> None:
    """Gives every file the time SOURCE_DATE_EPOCH (1970 without it), and a mode that no umask decides."""
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or 0)
    for path in (root, *root.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (seconds, seconds), follow_symlinks=False)
    (root / "tmp").chmod(0o1777)
