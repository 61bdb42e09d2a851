"""helm in the tests' cluster."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cluster.binaries import ensure_helm
from tests.cluster.control_plane import ControlPlane

_TIMEOUT_S = 120


class Helm:
    """Runs helm as the administrator of a cluster.

    Args:
        control_plane: the cluster.
        home: where helm keeps what it keeps.
    """

    def __init__(self, control_plane: ControlPlane, home: Path) -> None:
        self._environment = {
            "PATH": os.defpath,
            "HOME": str(home),
            "KUBECONFIG": str(control_plane.admin_kubeconfig),
        }

    def __call__(self, *arguments: str, values: Mapping[str, Any] | None = None) -> str:
        """Run one command, with values if it takes any, and return what it wrote.

        Raises:
            ChildProcessError: it failed; the message is what it said.
        """
        done = subprocess.run(
            [ensure_helm(), *arguments, *(() if values is None else ("--values", "-"))],
            input=json.dumps(values),  # every JSON document is a YAML document
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        if done.returncode != 0:
            raise ChildProcessError(f"helm {' '.join(arguments)}:\n{done.stderr}")
        return done.stdout
