"""`kubectl fastload preview`, run by the real kubectl as a user would at a terminal."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from demo.s3 import CREDENTIALS, REGION
from tests.cluster.control_plane import ControlPlane
from tests.e2e.s3 import S3

Json = dict[str, Any]

_PLUGINS = Path(sys.executable).parent
_TIMEOUT_S = 120


class PreviewCommand:
    """The plugin on a user's PATH, beside a kubeconfig whose context names a namespace.

    Args:
        control_plane: the cluster that the context leads to.
        s3: where models are listed.
        folder: the user's home.
    """

    def __init__(self, control_plane: ControlPlane, s3: S3, folder: Path) -> None:
        self._folder = folder
        self._environment = {
            "PATH": os.pathsep.join([str(_PLUGINS), str(control_plane.binaries), os.defpath]),
            "HOME": str(folder),
            "KUBECONFIG": str(folder / "kubeconfig"),
            "FASTLOAD_S3_ENDPOINT": s3.endpoint,
            **CREDENTIALS,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        self.be(control_plane.admin_kubeconfig)

    def be(self, kubeconfig: Path, namespace: str = "default") -> None:
        """Become the user of a kubeconfig, with a namespace as the context's own."""
        config = json.loads(kubeconfig.read_text())
        config["contexts"][0]["context"]["namespace"] = namespace
        Path(self._environment["KUBECONFIG"]).write_text(json.dumps(config))

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run kubectl with these arguments, whatever comes of it."""
        return self.shell(shlex.join(["kubectl", *arguments]), stdin)

    def shell(self, line: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a line of shell at the user's home, whatever comes of it."""
        return subprocess.run(
            ["sh", "-c", line],
            input=stdin,
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )

    def preview(self, *flags: str, of: str) -> Json:
        """Preview the one pod of a manifest by the cluster's word, and return what `-o json` says of it."""
        done = self.run("fastload", "preview", "-f", "-", "--cluster", "-o", "json", *flags, stdin=of)
        assert (done.returncode, done.stderr) == (0, "")
        (pod,) = json.loads(done.stdout)["pods"]
        assert isinstance(pod, dict)
        return pod
