"""The README's section on installing, command by command, on a cluster where nothing is installed."""

import re
from pathlib import Path

import httpx
import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.e2e.installation import NAMESPACE
from tests.e2e.namespace import Namespace
from tests.e2e.operator_shell import OperatorShell
from tests.e2e.pods import deployment, engine_template

README = (Path(__file__).parents[2] / "README.md").read_text()


def commands(section: str) -> str:
    """The console blocks of one section, as a script."""
    text = README.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return "".join(re.findall(r"```console\n(.*?)```", text, re.DOTALL))


@pytest.fixture
def shell(bare_cluster: ControlPlane, bare_client: httpx.Client, tmp_path: Path) -> OperatorShell:
    return OperatorShell(bare_cluster, bare_client, tmp_path)


def test_its_commands_install_fastload_and_ask_for_it(
    bare_cluster: ControlPlane, bare_client: httpx.Client, shell: OperatorShell, model: Model
) -> None:
    bare_cluster.create_namespace("serving")
    users = Namespace(bare_cluster, bare_client, "default")
    users.apply(deployment(engine_template(model)))

    shell.run(commands("Install"))

    installed = bare_cluster.get("deployment", "fastload", "--namespace", NAMESPACE)
    (image,) = {each["image"] for each in installed["spec"]["template"]["spec"]["containers"]}
    assert f"--tag {image} " in shell.docker_calls()
    asked = bare_cluster.get("deployment", "qwen")["spec"]["template"]["metadata"]["annotations"]
    assert asked == {"fastload.dev/inject": "true"}
    assert bare_cluster.get("namespace", "serving")["metadata"]["labels"]["fastload.dev/inject"] == "enabled"
