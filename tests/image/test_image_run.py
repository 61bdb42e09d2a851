"""fastload runs in the image's root, where there is nothing but what the image has."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image.making import REPOSITORY, inside, site_packages

ENCLOSURE = ["unshare", "--mount", "--net"]
pytestmark = pytest.mark.skipif(
    subprocess.run([*ENCLOSURE, "true"], capture_output=True, check=False).returncode != 0,
    reason="it takes root with the right to chroot, and to make mount and network namespaces",
)


def test_it_serves_as_the_dockerfile_starts_it(root: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = [*ENCLOSURE, sys.executable, "-m", "tests.image.enclosed", str(root), str(log)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{done.stderr}\n{log.read_text()}"
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["healthz"] == "ok\n"
    # S3 was asked for the shards, and the API server for the namespace.
    assert seen["environment"]["RUNAI_STREAMER_CONCURRENCY"] == "17"
    assert seen["root"] == str(root)
    assert seen["identity"] == ["Uid:" + "\t65532" * 4, "Gid:" + "\t65532" * 4]
    # Healthy while it ran, not after.
    assert seen["checks"] == [0, 2]
    assert seen["ended"] == 0
    levels = {json.loads(line)["level"] for line in log.read_text().splitlines() if line.startswith("{")}
    assert levels == {"info"}


def run(root: Path, program: str) -> str:
    python, flags = (root / "usr/local/bin/fastload").read_text().splitlines()[0].removeprefix("#!").split()
    done = subprocess.run(
        inside(root, python, flags, "-W", "error", "-c", program), env={}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def kubernetes_names(source_folder: Path) -> Iterator[tuple[str, str]]:
    """Yields what the code uses of the kubernetes package: each module, and the name in it."""
    for source in source_folder.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(source.read_text())))
        imports = [each for each in nodes if isinstance(each, ast.ImportFrom) and each.module]
        modules = {
            alias.asname or alias.name: f"{each.module}.{alias.name}"
            for each in imports
            if str(each.module).startswith("kubernetes")
            for alias in each.names
        }
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                yield modules[node.value.id], node.attr


def test_every_module_loads_and_finds_what_it_uses_of_kubernetes(root: Path, context: Path) -> None:
    sources = (context / "webhook").rglob("*.py")
    modules = {".".join(each.relative_to(context).with_suffix("").parts).removesuffix(".__init__") for each in sources}
    names = set(kubernetes_names(context))
    assert ("kubernetes.aio.client", "ApiClient") in names
    program = (
        "import importlib\n"
        f"for module in {sorted(modules)}: importlib.import_module(module)\n"
        f"for module, name in {sorted(names)}: getattr(importlib.import_module(module), name)\n"
    )
    assert run(root, program) == ""


def test_every_client_of_aws_can_be_made(root: Path) -> None:
    services = sorted(path.name for path in (site_packages(root) / "botocore/data").iterdir() if path.is_dir())
    program = (
        "import botocore.session\n"
        "session = botocore.session.get_session()\n"
        f"for name in {services}: print(session.create_client(name, region_name='us-west-2').meta.endpoint_url)\n"
    )
    assert "https://s3.us-west-2.amazonaws.com" in run(root, program).splitlines()
