import json

import pytest

from demo.s3 import Model
from tests.cluster.control_plane import ControlPlane
from tests.e2e.namespace import Namespace
from tests.e2e.pods import STATUS, annotation, engine_pod, env

pytestmark = pytest.mark.usefixtures("webhook")


def test_a_dry_run_shows_the_tuned_pod(control_plane: ControlPlane, namespace: Namespace, model: Model) -> None:
    command = ("apply", "-f", "-", "--namespace", namespace.name, "--dry-run=server", "--output", "json")

    shown = json.loads(control_plane.kubectl(*command, stdin=json.dumps(engine_pod(model))).stdout)

    assert (annotation(shown, STATUS), env(shown)["RUNAI_STREAMER_CONCURRENCY"]) == ("injected", "17")
    assert namespace.pods() == []


def test_a_diff_shows_what_would_be_added(control_plane: ControlPlane, namespace: Namespace, model: Model) -> None:
    command = ("diff", "-f", "-", "--namespace", namespace.name)

    done = control_plane.kubectl(*command, stdin=json.dumps(engine_pod(model)), check=False)

    assert done.returncode == 1, done.stderr
    assert "+    - name: RUNAI_STREAMER_CONCURRENCY" in done.stdout
    assert f"+    {STATUS}: injected" in done.stdout
    assert namespace.pods() == []
