"""Gets releases and keeps of each what is read: its Python sources, and for the streamer its libraries.

They lie below the user's cache folder, by version. A wheel of vLLM takes 0.3 GB for some seconds, what is kept of it
50 MB; releases that are not checked any more are removed.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

from benchmarks.contract.releases import Release, ReleaseError
from tests.cluster.cache import Report, cache_folder, exclusive

_KEPT = (".py", ".so")
_LIBRARIES_OF = ("runai",)
# Any wheel for Linux will do, whatever this machine is: nothing in it is run.
_PLATFORMS = ("manylinux_2_34_x86_64", "manylinux_2_31_x86_64", "manylinux_2_28_x86_64", "manylinux2014_x86_64", "any")
_PYTHON = "3.12"


def fetch(releases: Sequence[Release], report: Report) -> dict[Release, Path]:
    """Returns the folder of each release, after getting those that are missing.

    Raises:
        ReleaseError: pip could not get one.
    """
    root = cache_folder() / "releases"
    folders = {release: root / f"{release.project}-{release.version}" for release in releases}
    missing = [release for release, folder in folders.items() if not folder.is_dir()]
    with exclusive(root, report):
        for number, release in enumerate(missing, start=1):
            report(f"getting {release} ({number} of {len(missing)})")
            _get(release, folders[release])
        for left in set(root.iterdir()) - set(folders.values()):
            shutil.rmtree(left)
    return folders


def _get(release: Release, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    # The name appears only once the folder is whole.
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent))
    for package in release.project.packages:
        with tempfile.TemporaryDirectory(dir=folder.parent) as wheels:
            _unpack(_download(package, release.version, Path(wheels)), unfinished)
    unfinished.rename(folder)


def _download(package: str, version: str, into: Path) -> Path:
    """A source archive would be smaller, but pip builds one to learn its metadata, and SGLang has none."""
    platforms = [f"--platform={platform}" for platform in _PLATFORMS]
    options = ["--quiet", "--no-cache-dir", "--no-deps", "--only-binary=:all:", f"--python-version={_PYTHON}"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", *options, *platforms, "--dest", into, f"{package}=={version}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ReleaseError(f"{package} {version} could not be had; pip said:\n{done.stderr.strip()}")
    return next(into.glob("*.whl"))


def _unpack(wheel: Path, into: Path) -> None:
    """Unpacks what is read, as it would be installed: `NAME.data/purelib` is the package folder itself."""
    kept = _KEPT if wheel.name.startswith(_LIBRARIES_OF) else _KEPT[:1]
    with ZipFile(wheel) as archive:
        for info in archive.infolist():
            if info.filename.endswith(kept):
                top, _, inner = info.filename.partition(".data/purelib/")
                info.filename = inner or top
                archive.extract(info, into)
