"""What is in the image's root, and what is not."""

import csv
import os
import re
import stat
import subprocess
from pathlib import Path

import pytest

from deploy.image.packages import AWS_SERVICES, canonical
from tests.image.making import REPOSITORY, installed, locked, make, site_packages, tree

# As in create_client("s3"), client_creator("sts", ...) and create_nested_client(session, "sso-oidc", ...).
_CLIENT = re.compile(r"""client(?:_creator)?\((?:self\._session,)?\s*['"]([a-z0-9-]+)['"]""")


def test_the_packages_are_the_lock_files_without_what_only_builds(root: Path) -> None:
    expected = locked()
    build = (REPOSITORY / "requirements/build.in").read_text().split(">")[0]
    del expected[canonical(build)]
    assert installed(root) == {**expected, "fastload": installed(root)["fastload"]}
    assert "boto3" in expected


def test_there_is_no_shell_no_package_manager_and_no_tool(root: Path) -> None:
    folders = [path for name in ("bin", "sbin", "libexec") for path in root.rglob(name) if path.is_dir()]
    programs = {path.name for folder in folders for path in folder.iterdir()}
    assert len(programs) == 2
    assert programs - {"fastload"} == {name for name in programs if re.fullmatch(r"python3\.\d+", name)}
    gone = {"pip", "setuptools", "wheel", "ensurepip", "flit_core", "idlelib", "test"}
    assert gone & {path.name for path in root.rglob("*") if path.is_dir()} == set()


def test_only_root_can_change_anything_but_tmp(root: Path) -> None:
    for path in (root, *root.rglob("*")):
        mode = path.lstat().st_mode
        expected = {0o1777} if path == root / "tmp" else {0o755} if path.is_dir() else {0o644, 0o755}
        assert stat.S_IMODE(mode) in expected, path
        assert path.lstat().st_uid == os.getuid(), path
    assert [path for path in root.rglob("*") if path.is_symlink()] == []


def test_no_file_tells_where_it_was_made(root: Path) -> None:
    telling = str(root).encode()
    assert [path for path in root.rglob("*") if path.is_file() and telling in path.read_bytes()] == []


def test_every_package_lists_the_files_that_it_has(root: Path) -> None:
    packages = site_packages(root)
    listed = set()
    for record in packages.glob("*.dist-info/RECORD"):
        with record.open() as file:
            listed |= {packages / name for name, *_ in csv.reader(file)}
    present = {path for path in packages.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert listed == present


def test_every_module_is_compiled_for_good(root: Path) -> None:
    sources = list(site_packages(root).rglob("*.py"))
    for source in sources:
        (compiled,) = source.parent.glob(f"__pycache__/{source.stem}.cpython-*.pyc")
        # A hash stands in it, and nobody is told to check it.
        assert compiled.read_bytes()[4:8] == b"\x01\x00\x00\x00"
    assert len(sources) > 500


def test_botocore_has_every_service_that_anybody_here_makes_a_client_for(root: Path) -> None:
    packages = site_packages(root)
    data = packages / "botocore/data"
    assert {path.name for path in data.iterdir() if path.is_dir()} == AWS_SERVICES
    sources = [*(packages / "botocore").rglob("*.py"), *(packages / "webhook").rglob("*.py")]
    made = {name for source in sources for name in _CLIENT.findall(source.read_text())}
    assert made == AWS_SERVICES


def test_a_second_run_elsewhere_makes_the_same_tree(root: Path, context: Path, tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        make(context, tmp_path / "another" / "image")
    finally:
        os.umask(mask)
    assert list(tree(tmp_path / "another" / "image")) == list(tree(root))


def test_a_folder_that_holds_something_is_left_alone(context: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(AssertionError, match="is not empty"):
        make(context, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_the_linker_finds_every_library_within_the_root(root: Path) -> None:
    binaries = [path for path in root.rglob("*.so*") if path.name != "ld.so.cache"]
    libraries = {path.name for path in binaries}
    for binary in binaries:
        wanted = subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout
        named = re.findall(r"^\s+(\S+) =>", wanted, re.MULTILINE)
        assert set(map(os.path.basename, named)) <= libraries, binary
