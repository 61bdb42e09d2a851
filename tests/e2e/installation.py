"""fastload installed in the tests' cluster by helm, as an operator does.

No kubelet starts the Deployment's pods, so the tests stand in for one: they report the pods as ready here, and run the
container's command themselves in `webhook_process`.
"""

import socket
from pathlib import Path
from typing import Any

import httpx

from tests.cluster.control_plane import ControlPlane
from tests.deploy.rendering import CHART
from tests.e2e.helm import Helm
from tests.e2e.namespace import Namespace

NAMESPACE = "fastload"
RELEASE = ("fastload", str(CHART), "--namespace", NAMESPACE)
"""What every helm command on the release begins with."""

_UNPRIVILEGED_PORT = 8443


def install(control_plane: ControlPlane, client: httpx.Client, folder: Path, **values: Any) -> None:  # noqa: ANN401 (of the chart)
    """Install the chart, or upgrade the release of it that there is, and report its pods as ready.

    The values are the chart's own, but for what is given, and for the Service's port where this user may not listen on
    443: it is 8443 then.

    Raises:
        ChildProcessError: helm refused; the message is what it said.
    """
    helm = Helm(control_plane, folder)
    helm("upgrade", "--install", *RELEASE, "--create-namespace", values={**bindable(), **values})
    # It may be held to the strictest level; see the docs on operating it.
    control_plane.kubectl("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted")
    Namespace(control_plane, client, NAMESPACE).finish_rollout("fastload")


def bindable() -> dict[str, Any]:
    """The values by which the API server calls a port that the tests may listen on."""
    try:
        socket.create_server(("127.0.0.1", 443)).close()
    except PermissionError:
        return {"service": {"port": _UNPRIVILEGED_PORT}}
    except OSError:
        pass  # in use on this address, so allowed
    return {}
