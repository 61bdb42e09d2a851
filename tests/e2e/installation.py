"""fastload installed in the tests' cluster by its own script.

No kubelet starts the Deployment's pods, so the tests stand in for one: they report the pods as ready here, and run the
container's command themselves in `webhook_process`.
"""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import httpx

from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.e2e.namespace import Namespace

NAMESPACE = "fastload"
_REPOSITORY = Path(__file__).parents[2]
_PROGRAMS = Path(sys.executable).parent
_IMAGE = "registry.invalid/fastload:test"
_UNPRIVILEGED_PORT = 8443


def install(control_plane: ControlPlane, client: httpx.Client, folder: Path, **settings: str) -> None:
    """Run `deploy/install.sh` to its end, reporting the pods that it waits for as ready.

    `settings` are the script's variables besides IMAGE.

    The webhook is then called as shipped, at the Service's port 443. Where this user may not listen on that, the
    Service gets a second port, 8443, and the webhook is called there.

    Raises:
        ChildProcessError: the script failed; the message ends with what it wrote.
    """
    environment = {
        "PATH": os.pathsep.join([str(_PROGRAMS), str(control_plane.binaries), os.defpath]),
        "HOME": str(folder),
        "KUBECONFIG": str(control_plane.admin_kubeconfig),
        "IMAGE": _IMAGE,
        **settings,
    }
    log = folder / "install.log"
    namespace = Namespace(control_plane, client, NAMESPACE)
    script = _REPOSITORY / "deploy/install.sh"
    with (
        log.open("w") as output,
        subprocess.Popen([script], env=environment, stdout=output, stderr=subprocess.STDOUT) as installer,
    ):

        def ended() -> bool:
            namespace.run_pods()
            return installer.poll() is not None

        try:
            wait_until(ended, what=f"{script} comes to its end", timeout_s=60)
        finally:
            installer.kill()
    if installer.returncode != 0:
        raise ChildProcessError(f"{script} ended with status {installer.returncode}:\n{log.read_text()}")
    _be_called_at_a_bindable_port(control_plane)


def _be_called_at_a_bindable_port(control_plane: ControlPlane) -> None:
    try:
        socket.create_server(("127.0.0.1", 443)).close()
    except PermissionError:
        ports = {"spec": {"ports": [{"name": "unprivileged", "port": _UNPRIVILEGED_PORT}]}}
        _patch(control_plane, "service/fastload", "strategic", ports)
        paths = (f"/webhooks/{number}/clientConfig/service/port" for number in (0, 1))
        calls = [{"op": "replace", "path": path, "value": _UNPRIVILEGED_PORT} for path in paths]
        for kind in ("mutatingwebhookconfiguration", "validatingwebhookconfiguration"):
            _patch(control_plane, f"{kind}/fastload", "json", calls)
    except OSError:
        pass  # in use on this address, so allowed


def _patch(control_plane: ControlPlane, what: str, kind: str, patch: object) -> None:
    control_plane.kubectl("patch", what, "--namespace", NAMESPACE, "--type", kind, "--patch", json.dumps(patch))
