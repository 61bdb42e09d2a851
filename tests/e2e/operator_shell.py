"""The shell of whoever installs fastload by what the docs say, and the kubelet that they have and the tests lack."""

import os
import re
import subprocess
from pathlib import Path

import httpx

from tests.cluster.binaries import ensure_helm
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.installation import NAMESPACE
from tests.e2e.namespace import Namespace

_REPOSITORY = Path(__file__).parents[2]
_TIMEOUT_S = 120
# Stands for a container engine: it notes what it is told, knows every image by one digest, and builds nothing.
_DOCKER = f"""#!/bin/sh
echo "$*" >>"$DOCKER_CALLS"
case "$*" in *"imagetools inspect"*) echo sha256:{0:064x} ;; esac
"""


def blocks(page: str, section: str) -> list[str]:
    """The console blocks of one section of a page, in order."""
    text = (_REPOSITORY / page).read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    return re.findall(r"```console\n(.*?)```", text, re.DOTALL)


class OperatorShell:
    """Runs scripts in the repository, as the administrator of a cluster, with kubectl, helm and make on the PATH.

    Args:
        control_plane: the cluster.
        client: the same, for the pods that the scripts wait for.
        folder: what the scripts leave behind goes there.
    """

    def __init__(self, control_plane: ControlPlane, client: httpx.Client, folder: Path) -> None:
        self._own = Namespace(control_plane, client, NAMESPACE)
        self._log = folder / "shell.log"
        self._docker_calls = folder / "docker-calls"
        programs = folder / "bin"
        programs.mkdir()
        (programs / "docker").write_text(_DOCKER)
        (programs / "docker").chmod(0o755)
        path = [programs, control_plane.binaries, ensure_helm().parent, os.defpath]
        self._environment = {
            "PATH": os.pathsep.join(map(str, path)),
            "HOME": str(folder),
            "KUBECONFIG": str(control_plane.admin_kubeconfig),
            "DOCKER_CALLS": str(self._docker_calls),
        }

    def run(self, script: str) -> str:
        """Run a script to its end, reporting fastload's pods as ready meanwhile, and return what it wrote.

        Raises:
            ChildProcessError: one of its commands failed; the message ends with what it wrote.
        """
        with (
            self._log.open("w") as output,
            subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", script],
                cwd=_REPOSITORY,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            ) as process,
        ):

            def ended() -> bool:
                self._own.run_pods()
                return process.poll() is not None

            try:
                wait_until(ended, what="the script comes to its end", timeout_s=_TIMEOUT_S)
            finally:
                process.kill()
        if process.returncode != 0:
            raise ChildProcessError(f"status {process.returncode} of\n{script}\n{self._log.read_text()}")
        return self._log.read_text()

    def docker_calls(self) -> str:
        """What docker was told, a call a line."""
        return self._docker_calls.read_text() if self._docker_calls.exists() else ""
