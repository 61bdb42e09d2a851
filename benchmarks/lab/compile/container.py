"""A container's view of the machine: a root of its own, made by mounts in a mount namespace, and how to start in it.

The machine's programs and libraries are in it, read-only. Whatever else a process writes lands in the folder that is
the root, on the cache's folder, or on another volume, so that looking there afterwards finds all that it wrote.
"""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# What a container image brings, taken from the machine.
_IMAGE = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "opt", "nix")
_TOOLS = ("unshare", "mount", "chroot", "setpriv", "sh")


@dataclass(frozen=True)
class View:
    """A container's root folder, and what is mounted in it by path in the container."""

    root: Path
    writable: Mapping[str, Path]
    read_only: Sequence[Path] = ()
    read_only_root: bool = False

    def command(self, program: Sequence[str], *, uid: int = 0, capabilities: Sequence[str] | None = None) -> list[str]:
        """Returns the command that starts the program in this view, as first process of a process namespace.

        Killing that command kills all that the program started. With `capabilities` the program has these alone.
        """
        rights = []
        if capabilities is not None:
            kept = ",".join(f"+{each.lower()}" for each in capabilities)
            rights = ["setpriv", "--no-new-privs", "--bounding-set", f"-all,{kept}"]
        entered = ["chroot", f"--userspec={uid}:{uid}", "--groups=", str(self.root), *rights, *program]
        script = "\n".join((*self._mounts(), f"exec {shlex.join(entered)}"))
        flags = ("--mount", "--propagation", "private", "--pid", "--fork", "--kill-child")
        return ["unshare", *flags, "--", "sh", "-ec", script]

    def prepare(self) -> None:
        """Makes the folders that are mounted on, with links as the machine's own root has them."""
        for name in _IMAGE:
            theirs, ours = Path("/", name), self.root / name
            if theirs.is_symlink():
                ours.symlink_to(theirs.readlink())
            elif theirs.is_dir():
                ours.mkdir()
        for path in ("/proc", "/dev", *self.writable, *map(str, self.read_only)):
            self.inside(path).mkdir(parents=True, exist_ok=True)

    def inside(self, path: str) -> Path:
        """Returns where a path in the container lies on the machine, if nothing is mounted over it."""
        return self.root / path.lstrip("/")

    def _mounts(self) -> Iterable[str]:
        root = str(self.root)
        yield _bind(root, root)
        for folder in (*(Path("/", name) for name in _IMAGE), *self.read_only):
            if folder.is_dir() and not folder.is_symlink():
                yield _bind(str(folder), str(self.inside(str(folder))), "--options", "ro")
        yield shlex.join(("mount", "--rbind", "/dev", f"{root}/dev"))
        yield shlex.join(("mount", "--types", "proc", "proc", f"{root}/proc"))
        for path, folder in self.writable.items():
            yield _bind(str(folder), str(self.inside(path)))
        if self.read_only_root:
            yield shlex.join(("mount", "--options", "remount,bind,ro", root))


def _bind(source: str, target: str, *options: str) -> str:
    return shlex.join(("mount", "--bind", *options, source, target))


def why_none(folder: Path) -> str | None:
    """Returns why a process cannot be given such a view here; None where it can.

    `folder` is made, used to try it, and removed.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "only root can make a mount namespace with other users in it"
    missing = [tool for tool in _TOOLS if not shutil.which(tool)]
    if missing:
        return f"{', '.join(missing)} not found"
    folder.mkdir(parents=True)
    try:
        view = View(folder, {})
        view.prepare()
        done = subprocess.run(view.command(["true"]), capture_output=True, text=True, check=False)
        return None if done.returncode == 0 else f"no mount namespace: {done.stderr.strip()[:200]}"
    finally:
        shutil.rmtree(folder)
