"""The bill of materials that lies in the image, and that `make sbom` shows."""

import json
import platform
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.image.making import REPOSITORY, installed, locked
from webhook import __version__

Json = dict[str, Any]


@pytest.fixture(scope="module")
def text(root: Path) -> str:
    return (root / "usr/share/fastload/sbom.cdx.json").read_text()


@pytest.fixture(scope="module")
def bill(text: str) -> Json:
    parsed: Json = json.loads(text)
    return parsed


def of_kind(bill: Json, kind: str) -> list[Json]:
    return [each for each in bill["components"] if each["purl"].startswith(f"pkg:{kind}/")]


def test_it_is_what_its_schema_demands(text: str) -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None


def test_it_is_of_fastload(bill: Json) -> None:
    subject = bill["metadata"]["component"]
    assert (subject["type"], subject["name"], subject["version"]) == ("application", "fastload", __version__)


def test_it_names_each_locked_package_that_is_installed_and_no_other(bill: Json, root: Path) -> None:
    named = {each["purl"]: each["version"] for each in of_kind(bill, "pypi")}
    expected = installed(root)
    del expected["fastload"]
    assert named == {f"pkg:pypi/{name.replace('_', '-')}@{v}": v for name, v in expected.items()}


def test_each_package_has_a_licence_and_the_hash_of_a_wheel_that_the_lock_file_allows(bill: Json) -> None:
    allowed = (REPOSITORY / "requirements/run.lock").read_text()
    for each in of_kind(bill, "pypi"):
        (digest,) = each["hashes"]
        assert f"--hash=sha256:{digest['content']}" in allowed, each["name"]
        assert each["licenses"], each["name"]
    assert len(of_kind(bill, "pypi")) == len(locked()) - 1


def test_it_names_the_interpreter_and_the_libraries_with_the_c_library(bill: Json, root: Path) -> None:
    (interpreter,) = of_kind(bill, "generic")
    assert (interpreter["name"], interpreter["version"]) == ("cpython", platform.python_version())
    if not (root / "var/lib/dpkg/status.d").exists():
        pytest.skip("this machine has no dpkg to ask whose its libraries are")
    packages = {each["name"] for each in of_kind(bill, "deb")}
    assert {"libc6", "zlib1g"} <= packages
    # Scanners of images read these, and their licences have to come along.
    assert {path.name for path in (root / "var/lib/dpkg/status.d").iterdir()} == packages
    assert {path.parent.name for path in (root / "usr/share/doc").glob("*/copyright")} == packages
    assert "ID=" in (root / "etc/os-release").read_text()


def test_everything_in_it_is_needed_by_something(bill: Json) -> None:
    needed = {ref for each in bill["dependencies"] for ref in each["dependsOn"]}
    assert {each["bom-ref"] for each in bill["components"]} == needed
