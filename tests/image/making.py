"""The image's root, made as the Dockerfile makes it, and what a test reads of it."""

import hashlib
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from deploy.image.packages import canonical
from deploy.image.system import USER

REPOSITORY = Path(__file__).parents[2]


def copy_context(folder: Path) -> None:
    """Copies what .dockerignore lets into a build."""
    for line in (REPOSITORY / ".dockerignore").read_text().splitlines():
        source, target = REPOSITORY / line[1:], folder / line[1:]
        if not line.startswith("!"):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)


def make(context: Path, root: Path) -> None:
    """Makes a root from such a copy, in a folder of its own."""
    command = [sys.executable, "-m", "deploy.image", str(root)]
    made = subprocess.run(command, cwd=context, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def tree(root: Path) -> Iterator[tuple[str, int, int, str]]:
    """Yields each path with its mode, its time and a hash of its content, in order."""
    for path in sorted(root.rglob("*")):
        found = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(found.st_mode) else b""
        yield str(path.relative_to(root)), found.st_mode, found.st_mtime_ns, hashlib.sha256(content).hexdigest()


def site_packages(root: Path) -> Path:
    """The folder of the installed packages."""
    (found,) = root.rglob("site-packages")
    return found


def locked() -> dict[str, str]:
    """The packages of the lock file with their versions."""
    lines = (REPOSITORY / "requirements/run.lock").read_text().splitlines()
    pinned = (re.match(r"([\w.-]+)==(\S+)", line) for line in lines)
    return {canonical(each[1]): each[2] for each in pinned if each}


def installed(root: Path) -> dict[str, str]:
    """The packages in a root with their versions."""
    found = metadata.distributions(path=[str(site_packages(root))])
    return {canonical(each.name): each.version for each in found}


def inside(root: Path, *command: str) -> list[str]:
    """A command that runs in a root as the image's user; it takes root's rights to start."""
    chroot = shutil.which("chroot") or "/usr/sbin/chroot"
    return [chroot, f"--userspec={USER}:{USER}", "--groups=", str(root), *command]
