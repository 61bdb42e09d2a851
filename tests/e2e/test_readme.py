"""The README's commands, as they stand there."""

import shlex
from pathlib import Path

import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.e2e.namespace import Namespace
from tests.e2e.pods import deployment, engine_template

pytestmark = pytest.mark.usefixtures("webhook")

README = Path(__file__).parents[2] / "README.md"


def command(start: str, **names: str) -> list[str]:
    """The arguments of the README's one kubectl command that starts so, with its names replaced."""
    (line,) = (line for line in README.read_text().splitlines() if line.startswith(f"kubectl {start}"))
    return [names.get(word, word) for word in shlex.split(line)[1:]]


def test_its_commands_annotate_a_deployment_and_show_what_happened(
    control_plane: ControlPlane, namespace: Namespace, model: Model
) -> None:
    here = ("--namespace", namespace.name)
    namespace.apply(deployment(engine_template(model)))
    namespace.finish_rollout("qwen")

    control_plane.kubectl(*command("patch deployment"), *here)
    (pod,) = namespace.finish_rollout("qwen")

    shown = control_plane.kubectl(*command("get pods"), *here).stdout.splitlines()
    assert shown[0].split() == ["POD", "STATUS", "WHY"]
    assert shown[1].split()[:2] == [pod["metadata"]["name"], "injected"]
    plan = control_plane.kubectl(*command("get pod ", POD=pod["metadata"]["name"]), *here).stdout
    assert '"RUNAI_STREAMER_CONCURRENCY":["17","concurrency-shards"]' in plan


def test_its_command_opts_a_namespace_in(control_plane: ControlPlane, namespace: Namespace, model: Model) -> None:
    control_plane.kubectl(*command("label namespace", serving=namespace.name))

    namespace.apply(deployment(engine_template(model)))
    (pod,) = namespace.finish_rollout("qwen")

    assert pod["metadata"]["annotations"]["fastload.dev/status"] == "injected"
