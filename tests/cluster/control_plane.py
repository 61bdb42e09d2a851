"""A Kubernetes control plane for tests: etcd, the API server and the controller manager, without nodes."""

import json
import os
import re
import ssl
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from tests.cluster.certificates import CertificateAuthority
from tests.cluster.health import HealthProbe
from tests.cluster.kubeconfig import Server, write_kubeconfig
from tests.cluster.layout import Layout
from tests.cluster.process import ServerProcess
from tests.cluster.waiting import wait_until

_ADMINISTRATOR = ("administrator", "system:masters")
_STOP_GRACE_S = 10
# The API server, once told to, takes longer than a test would wait.
_API_SERVER_GRACE_S = 1
_KUBECTL_TIMEOUT_S = 60
# A burst of pods shares a few connections, on a machine that may be busy with other things.
_REQUEST_TIMEOUT_S = 300


class ControlPlane:
    """Runs a control plane while it is entered: `with ControlPlane(ensure_binaries()) as cluster: ...`.

    Admission is what the API server does by default, Pod Security included. There is no scheduler and no node: pods are
    created, by users and by the real controllers, and stay Pending. Cluster IPs lie in `loopback.SERVICE_RANGE`, so a
    test that listens on a Service's cluster IP is called as the pod behind it would be.

    Args:
        binaries: the folder that `ensure_binaries` returns.
        start_timeout_s: seconds that each of the three programs has to become ready.
    """

    def __init__(self, binaries: Path, *, start_timeout_s: float = 60) -> None:
        self._binaries = binaries
        self._start_timeout_s = start_timeout_s
        self._authority = CertificateAuthority("control plane of the tests")
        self._processes: list[ServerProcess] = []
        self._resources = ExitStack()

    def __enter__(self) -> Self:
        """Start the programs and wait until a pod can be created in the namespace `default`.

        Raises:
            TimeoutError: a program didn't become ready in time; the logs are in the error's notes.
            ChildProcessError: a program ended; the end of its log is in the message.
        """
        with ExitStack() as resources:
            folder = Path(resources.enter_context(tempfile.TemporaryDirectory(prefix="control-plane-")))
            self._layout = Layout.choose(folder)
            self._start_all(resources)
            self._resources = resources.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop the programs, the last one first, and remove their files."""
        self._resources.close()

    @property
    def url(self) -> str:
        """The https URL of the API server."""
        return self._layout.api_url

    @property
    def ca_certificate(self) -> Path:
        """The PEM file of the authority that signed the API server's certificate."""
        return self._layout.authority

    @property
    def admin_kubeconfig(self) -> Path:
        """The kubeconfig of a user who may do everything."""
        return self.kubeconfig(*_ADMINISTRATOR)

    @property
    def binaries(self) -> Path:
        """The folder of the programs, kubectl among them."""
        return self._binaries

    def kubeconfig(self, user: str, *groups: str) -> Path:
        """Return the kubeconfig of a user, who may do what RBAC allows them and their groups."""
        path = self._kubeconfig_path(user, *groups)
        if not path.exists():
            write_kubeconfig(path, self._server, self._authority.issue_client(user, groups))
        return path

    def service_account_token(self, namespace: str, name: str) -> str:
        """Return a fresh token of a service account, good for an hour."""
        return self.kubectl("create", "token", name, "--namespace", namespace).stdout.strip()

    def service_account_kubeconfig(self, namespace: str, name: str) -> Path:
        """Return the kubeconfig of a service account, with a fresh token that is good for an hour."""
        path = self._kubeconfig_path("serviceaccount", namespace, name)
        return write_kubeconfig(path, self._server, self.service_account_token(namespace, name))

    def kubectl(
        self, *arguments: str, stdin: str | None = None, check: bool = True, kubeconfig: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run kubectl and return what it wrote, as text.

        Args:
            arguments: its command line, such as `"apply", "-f", "-"`.
            stdin: what it reads from its standard input; nothing if None.
            check: whether a status other than 0 is an error.
            kubeconfig: whom to act as; the administrator if None.

        Raises:
            CalledProcessError: kubectl failed and `check` is set; its standard error is in the error's notes.
            TimeoutExpired: it was still running after a minute.
        """
        done = subprocess.run(
            [self._binaries / "kubectl", "--kubeconfig", kubeconfig or self.admin_kubeconfig, *arguments],
            input=stdin or "",
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=_KUBECTL_TIMEOUT_S,
            check=False,
        )
        if check:
            _require_success(done)
        return done

    def apply(self, *manifests: Mapping[str, Any]) -> None:
        """Apply objects in this order.

        Raises:
            CalledProcessError: one of them was refused; the reason is in the error's notes.
        """
        self.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests}))

    def get(self, *arguments: str) -> dict[str, Any]:
        """Return what `kubectl get ARGUMENTS` finds: an object, or a list with its `items`."""
        found: dict[str, Any] = json.loads(self.kubectl("get", *arguments, "--output", "json").stdout)
        return found

    def create_namespace(self, name: str, labels: Mapping[str, str] | None = None) -> None:
        """Create a namespace and wait until pods can be created in it, which takes its default service account."""
        metadata = {"name": name, "labels": dict(labels or {})}
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        self.kubectl("create", "-f", "-", stdin=json.dumps(namespace))
        self._wait_for_service_account(name)

    def client(self) -> httpx.Client:
        """Return an HTTP client of the API server that acts as the administrator: for many calls, or many at once."""
        return httpx.Client(
            base_url=self.url, verify=self.administrator_context(), trust_env=False, timeout=_REQUEST_TIMEOUT_S
        )

    def administrator_context(self) -> ssl.SSLContext:
        """Return the TLS context of a client that acts as the administrator."""
        context = ssl.create_default_context(cafile=self.ca_certificate)
        context.load_cert_chain(*self._administrator_files)
        return context

    def audit_events(self) -> list[dict[str, Any]]:
        """Return what the API server noted of the creation of pods, the oldest first."""
        return [json.loads(line) for line in self._layout.audit_log.read_text().splitlines()]

    @contextmanager
    def api_server_stopped(self) -> Iterator[None]:
        """Stop the API server for the time of a `with` block, and wait until it is ready again behind it.

        The controllers stop with it, since they would come back only half a minute later.
        """
        self._controllers.stop(_STOP_GRACE_S)
        self._api_server.stop(_API_SERVER_GRACE_S)
        try:
            yield
        finally:
            self._api_server.start()
            self._wait_for_api_server()
            self._controllers.start()

    def logs(self, lines: int = 50) -> str:
        """Return the last lines that each program has logged, below its name."""
        return "\n".join(f"==> {process.name} <==\n{process.log(lines)}" for process in self._processes)

    def _start_all(self, resources: ExitStack) -> None:
        self._layout.write_inputs(self._authority)
        administrator = self._authority.issue_client(_ADMINISTRATOR[0], _ADMINISTRATOR[1:])
        self._administrator_files = administrator.write(self._layout.folder, _ADMINISTRATOR[0])
        self._probe = HealthProbe(self.ca_certificate, *self._administrator_files)

        self._start("etcd", self._layout.etcd_arguments(), resources)
        self._wait(lambda: self._probe.succeeds(f"{self._layout.etcd_url}/health"), "etcd is healthy")
        self._api_server = self._start("kube-apiserver", self._layout.api_server_arguments(), resources)
        self._wait_for_api_server()
        arguments = self._layout.controller_manager_arguments(self.kubeconfig("system:kube-controller-manager"))
        self._controllers = self._start("kube-controller-manager", arguments, resources)
        self._wait_for_service_account("default")

    def _start(self, name: str, arguments: list[str], resources: ExitStack) -> ServerProcess:
        process = ServerProcess(
            self._binaries / name, arguments, folder=self._layout.folder, environment=self._environment
        )
        resources.callback(process.stop, _STOP_GRACE_S)
        self._processes.append(process)
        return process

    def _wait_for_api_server(self) -> None:
        self._wait(lambda: self._probe.succeeds(f"{self.url}/readyz"), "the API server is ready")

    def _wait_for_service_account(self, namespace: str) -> None:
        url = f"{self.url}/api/v1/namespaces/{namespace}/serviceaccounts/default"
        self._wait(lambda: self._probe.succeeds(url), f"the namespace {namespace} has its default service account")

    def _wait(self, probe: Callable[[], bool], what: str) -> None:
        def probe_the_living() -> bool:
            for process in self._processes:
                process.require_running()
            return probe()

        try:
            wait_until(probe_the_living, what=what, timeout_s=self._start_timeout_s)
        except TimeoutError as error:
            error.add_note(self.logs())
            raise

    @property
    def _server(self) -> Server:
        return Server(self.url, self._authority.pem)

    @property
    def _environment(self) -> dict[str, str]:
        # Nothing of the caller's: neither a proxy nor a kubectl configuration may leak into a test.
        return {"PATH": os.defpath, "HOME": str(self._layout.folder)}

    def _kubeconfig_path(self, *words: str) -> Path:
        # KUBECONFIG takes a colon for the end of a path.
        return self._layout.folder / (re.sub("[/:]", "_", "+".join(words)) + ".kubeconfig")


def _require_success(done: subprocess.CompletedProcess[str]) -> None:
    try:
        done.check_returncode()
    except subprocess.CalledProcessError as error:
        error.add_note(done.stderr)
        raise
