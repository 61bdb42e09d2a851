"""fastload's process, as the installed Deployment describes it and as a kubelet would run it.

It has the settings of an operator, the certificate from the Secret, the rights of the service account, and listens
where the Service points: the API server calls a webhook at its cluster IP, which is a loopback address here.
"""

import base64
import os
import ssl
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families

from demo.s3 import CREDENTIALS, REGION
from tests.cluster.control_plane import ControlPlane
from tests.cluster.process import ServerProcess
from tests.cluster.waiting import wait_until
from tests.e2e.installation import NAMESPACE

_FASTLOAD = Path(sys.executable).with_name("fastload")
_STOP_GRACE_S = 15


class Webhook:
    """The installed webhook's process.

    Args:
        control_plane: the cluster that it is installed in.
        settings: what an operator adds to the Deployment's environment.
        folder: where its certificate and its log are kept.
        host: an address of its own, for one of several; by default the Service's.
    """

    def __init__(
        self, control_plane: ControlPlane, settings: Mapping[str, str], folder: Path, host: str | None = None
    ) -> None:
        self._control_plane = control_plane
        self._folder = folder
        self.kubeconfig = control_plane.service_account_kubeconfig(NAMESPACE, "fastload")
        self._pod: dict[str, Any] = self._installed("deployment", "fastload")["spec"]["template"]["spec"]
        self.mount_certificate()
        service = self._installed("service", "fastload")["spec"]
        called = self._installed("mutatingwebhookconfiguration", "fastload")["webhooks"][0]["clientConfig"]["service"]
        self.address: tuple[str, int] = (host or service["clusterIP"], called["port"])
        self._admin = httpx.Client(base_url=f"http://{self.address[0]}:8080", trust_env=False)
        self._process = ServerProcess(
            _FASTLOAD,
            self._pod["containers"][0]["args"],
            folder=folder,
            environment={
                **self._environment(),
                "FASTLOAD_HOST": self.address[0],
                "FASTLOAD_REVIEW_PORT": str(self.address[1]),
                **settings,
            },
        )

    def mount_certificate(self) -> None:
        """Write the Secret's files, as the kubelet does when it mounts them and when they change."""
        (name,) = (volume["secret"]["secretName"] for volume in self._pod["volumes"] if volume["name"] == "tls")
        found = self._control_plane.get(
            "secrets", "--namespace", NAMESPACE, "--field-selector", f"metadata.name={name}"
        )
        for secret in found["items"]:  # where fastload makes it by itself, there is none at first
            for key, content in secret["data"].items():
                (self._folder / key).write_bytes(base64.b64decode(content))

    def certificate(self) -> str:
        """The certificate that it serves, as PEM."""
        return ssl.get_server_certificate(self.address)

    def is_ready(self) -> bool:
        """Whether the readiness probe succeeds."""
        return self._probe("/readyz")

    def is_alive(self) -> bool:
        """Whether the liveness probe succeeds."""
        return self._probe("/healthz")

    def reviews(self) -> Counter[str]:
        """How many reviews of pods were answered since the start, by what became of the pod."""
        return self._counted("fastload_reviews", "outcome")

    def workload_reviews(self) -> Counter[str]:
        """How many reviews of workloads were answered since the start, by what their pods will get."""
        return self._counted("fastload_workload_reviews", "outcome")

    def handshakes(self) -> Counter[str]:
        """How many TLS handshakes came how far."""
        return self._counted("fastload_tls_handshakes", "stage")

    def log(self) -> str:
        """All that it has logged."""
        return self._process.log()

    def errors(self) -> list[str]:
        """What it has logged as a fault: an error, or a line that is none of its own."""
        return [line for line in self.log().splitlines() if not line.startswith("{") or '"level":"error"' in line]

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the process for the time of a `with` block, and wait until it is ready again behind it."""
        self.stop()
        try:
            yield
        finally:
            self.start()
            self.wait_until_ready()

    def start(self) -> None:
        """Run the process again after a `stop`."""
        self._process.start()

    def stop(self) -> None:
        """End the process as the kubelet does."""
        self._process.stop(_STOP_GRACE_S)

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        self._process.kill()

    def close(self) -> None:
        """End the process for good."""
        self.stop()
        self._admin.close()

    def wait_until_ready(self) -> None:
        """Wait for the readiness probe.

        Raises:
            ChildProcessError: the process ended instead.
            TimeoutError: it didn't become ready in time; its log is in the error's notes.
        """

        def ready() -> bool:
            self._process.require_running()
            return self.is_ready()

        try:
            wait_until(ready, what="the webhook is ready", timeout_s=60)
        except TimeoutError as error:
            error.add_note(self.log())
            raise

    def _counted(self, name: str, label: str) -> Counter[str]:
        families = text_string_to_metric_families(self._admin.get("/metrics").raise_for_status().text)
        samples = (sample for family in families for sample in family.samples if family.name == name)
        return Counter({each.labels[label]: int(each.value) for each in samples if each.name == f"{name}_total"})

    def _probe(self, path: str) -> bool:
        try:
            return self._admin.get(path).is_success
        except httpx.TransportError:
            return False

    def _installed(self, kind: str, name: str) -> dict[str, Any]:
        return self._control_plane.get(kind, name, "--namespace", NAMESPACE)

    def _environment(self) -> dict[str, str]:
        return {
            **{each["name"]: each["value"] for each in self._pod["containers"][0]["env"] if "value" in each},
            "PATH": os.defpath,
            "HOME": str(self._folder),
            # A pod finds its token and the API server by itself; this process is told.
            "KUBECONFIG": str(self.kubeconfig),
            "FASTLOAD_KUBERNETES": "on",
            "FASTLOAD_TLS_CERTIFICATE": str(self._folder / "tls.crt"),
            "FASTLOAD_TLS_KEY": str(self._folder / "tls.key"),
            # There is no kube-proxy that would have to forget it.
            "FASTLOAD_DRAIN_SECONDS": "0",
            **CREDENTIALS,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
