"""The last steps: everything compiled, and nothing left that would differ between two runs."""

import os
import subprocess
import sys
from pathlib import Path

from deploy.image.place import PREFIX, within


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
