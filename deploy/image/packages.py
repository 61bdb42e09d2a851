"""fastload and the packages it runs on, from the lock file, without what it never loads of them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from deploy.image.place import LAUNCHER, PACKAGES, PYTHON, within

# Builds fastload's wheel, and is of no use after that.
_BUILDER = "flit_core"
# The AWS services that clients are made for: listings, and what botocore asks to find credentials.
AWS_SERVICES = frozenset({"ec2", "s3", "signin", "sso", "sso-oidc", "sts"})
# One class for each kind and each call of the API: loaded when first used, and fastload calls by path.
_GENERATED = ("kubernetes/client", "kubernetes/aio/client")

# Isolated: no variable and no folder of the user's adds code to it. And it writes no bytecode.
_LAUNCH = f"""\
#!{PYTHON} -IB
import sys

from webhook.cli import main

sys.exit(main())
"""


def install(root: Path, source: Path) -> dict[str, str]:
    """Installs the lock file's packages and fastload.

    Returns:
        The SHA-256 of the wheel that each locked package came in.

    Raises:
        subprocess.CalledProcessError: pip failed; it has said why.
    """
    target = within(root, PACKAGES)
    with TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        locked = ("--require-hashes", "--only-binary=:all:", "--report", str(report))
        _pip(target, *locked, "--requirement", str(source / "requirements/run.lock"))
        wheels = dict(_hashes(report))
    shutil.rmtree(target / "bin")
    _pip(target, "--no-deps", "--no-index", "--no-build-isolation", str(source))
    launcher = within(root, LAUNCHER)
    launcher.parent.mkdir(parents=True, exist_ok=True)
    launcher.write_text(_LAUNCH)
    launcher.chmod(0o755)
    del wheels[_BUILDER]
    return wheels


def prune(root: Path) -> None:
    """Takes out what only builds, and what is never loaded; each package's own list of its files stays true."""
    packages = within(root, PACKAGES)
    doomed = [packages / "bin", *packages.glob(f"{_BUILDER}*"), *packages.glob("*.dist-info/direct_url.json")]
    data = packages / "botocore/data"
    doomed += [each for each in data.iterdir() if each.is_dir() and each.name not in AWS_SERVICES]
    for client in _GENERATED:
        for kind in ("api", "models"):
            doomed += [each for each in (packages / client / kind).iterdir() if each.name != "__init__.py"]
    for each in doomed:
        if each.is_dir():
            shutil.rmtree(each)
        else:
            each.unlink()
    for record in packages.glob("*.dist-info/RECORD"):
        lines = record.read_text().splitlines(keepends=True)
        record.write_text("".join(line for line in lines if (packages / line.split(",")[0]).exists()))


def _pip(target: Path, *arguments: str) -> None:
    """Runs pip, which finds in the target what a build needs."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    environment = {**os.environ, "PYTHONPATH": str(target), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [*pip, "--root-user-action=ignore", "--target", str(target), *arguments]
    subprocess.run(command, env=environment, check=True)


def _hashes(report: Path) -> Iterator[tuple[str, str]]:
    for each in json.loads(report.read_text())["install"]:
        yield canonical(each["metadata"]["name"]), each["download_info"]["archive_info"]["hashes"]["sha256"]


def canonical(name: str) -> str:
    """Returns the one spelling of a package's name that all its spellings share."""
    return name.lower().replace("-", "_").replace(".", "_")
