"""Where the libraries come from, in the form that scanners of images read."""

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from deploy.image.place import within

_RELEASE = Path("/etc/os-release")


def record(root: Path, libraries: Iterable[Path]) -> dict[str, dict[str, str]]:
    """Records the Debian packages that own the libraries, with their licences; nothing where there is no dpkg.

    Returns:
        Each package's fields by its name.
    """
    if shutil.which("dpkg-query") is None:
        return {}
    names = sorted({owner for library in libraries if (owner := _owner(library))})
    owners = {}
    for name in names:
        stanza = _dpkg("--status", name)
        owners[name] = dict(re.findall(r"^([\w-]+): (.*)$", stanza, re.MULTILINE))
        status = within(root, Path("/var/lib/dpkg/status.d")) / name
        status.parent.mkdir(parents=True, exist_ok=True)
        status.write_text(stanza)
        licence = Path("/usr/share/doc") / name / "copyright"
        # Some images are made smaller by leaving these out.
        if licence.exists():
            _copy(root, licence)
    _copy(root, _RELEASE)
    return owners


def release() -> dict[str, str]:
    """Returns what this machine says of its distribution."""
    return {key: value.strip('"') for key, value in re.findall(r"^(\w+)=(.*)$", _RELEASE.read_text(), re.MULTILINE)}


def _owner(library: Path) -> str:
    """Returns the package that brought a file; dpkg may know it by its name from before /lib led to /usr/lib."""
    for path in (library, library.resolve(), Path("/usr", *library.parts[1:])):
        if owned := _dpkg("--search", str(path)):
            return owned.split(":")[0]
    return ""


def _dpkg(*arguments: str) -> str:
    return subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True, check=False).stdout


def _copy(root: Path, path: Path) -> None:
    target = within(root, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, target)
