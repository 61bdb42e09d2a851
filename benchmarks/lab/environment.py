"""Where the lab's programs run: a Python of its own with torch, and a folder for each version of the streamer.

They lie below the user's cache folder and are made once. The lab needs no GPU; pip's own index has torch for Linux on
x86 only with CUDA's libraries (4.7 GB unpacked), which then lie idle. An index with CPU builds serves as well.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.cluster.cache import Report, cache_folder, exclusive

_REQUIREMENTS = Path(__file__).parents[2] / "requirements" / "lab.txt"
_STREAMER = ("runai-model-streamer", "runai-model-streamer-s3")


class InstallError(RuntimeError):
    """Something could not be installed; the message ends with what the installing program said."""


def lab_python(report: Report) -> Path:
    """Returns an interpreter that has torch and what the streamer imports, after installing them if they are missing.

    Raises:
        InstallError: they could not be installed.
    """
    wanted = _REQUIREMENTS.read_bytes() + sys.version.encode()
    folder = _root() / f"python-{hashlib.sha256(wanted).hexdigest()[:12]}"
    with exclusive(folder, report):
        if not (folder / "complete").exists():
            report("installing torch into a Python for the lab (once; 1 to 5 minutes, up to 5 GB)")
            shutil.rmtree(folder, ignore_errors=True)
            _run(sys.executable, "-m", "venv", str(folder))
            _run(
                str(folder / "bin" / "python"), *_pip("install", "--no-cache-dir", "--requirement"), str(_REQUIREMENTS)
            )
            (folder / "complete").touch()
    return folder / "bin" / "python"


def streamer_folder(version: str, report: Report) -> Path:
    """Returns the folder to put on PYTHONPATH for this version of the streamer, after fetching it if it is missing.

    Raises:
        InstallError: it could not be fetched.
    """
    folder = _root() / f"streamer-{version}"
    with exclusive(folder, report):
        if not folder.is_dir():
            report(f"fetching the streamer {version}")
            packages = [f"{package}=={version}" for package in _STREAMER]
            with tempfile.TemporaryDirectory(dir=folder.parent) as unfinished:
                whole = Path(unfinished) / folder.name
                _run(sys.executable, *_pip("install", "--no-deps", "--target"), str(whole), *packages)
                # The name appears only once the folder is whole.
                whole.rename(folder)
    return folder


def _root() -> Path:
    return cache_folder() / "lab"


def _pip(*arguments: str) -> list[str]:
    return ["-m", "pip", *arguments[:1], "--quiet", "--disable-pip-version-check", *arguments[1:]]


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InstallError(f"{' '.join(command)} failed:\n{done.stderr.strip() or done.stdout.strip()}")
