"""Where one control plane keeps its files and listens, and the command lines that follow from it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.cluster.certificates import CertificateAuthority, new_key, private_key_pem, public_key_pem
from tests.cluster.loopback import SERVICE_RANGE, free_ports, private_address

_AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "verbs": ["create"], "resources": [{"group": "", "resources": ["pods"]}]},
        {"level": "None"},
    ],
}


@dataclass(frozen=True)
class Layout:
    """The folder, address and ports of one control plane; every file's name is known here only."""

    folder: Path
    address: str
    api_port: int
    etcd_port: int
    etcd_peer_port: int

    @classmethod
    def choose(cls, folder: Path) -> Self:
        """Return a layout on free ports of a loopback address that no other control plane uses."""
        address = private_address()
        return cls(folder, address, *free_ports(address, 3))

    @property
    def api_url(self) -> str:
        """Where the API server listens."""
        return f"https://{self.address}:{self.api_port}"

    @property
    def etcd_url(self) -> str:
        """Where etcd listens for the API server."""
        return f"http://{self.address}:{self.etcd_port}"

    @property
    def authority(self) -> Path:
        """The certificate of the authority that signs the API server's certificate and those of its users."""
        return self.folder / "ca.crt"

    @property
    def audit_log(self) -> Path:
        """What the API server notes of each pod's creation: an audit event a line, as JSON."""
        return self.folder / "audit.log"

    def write_inputs(self, authority: CertificateAuthority) -> None:
        """Write what the programs read at their start: certificates, the key of service account tokens, a policy."""
        self.authority.write_bytes(authority.pem)
        authority.issue_server(self.address, "localhost", "kubernetes.default.svc").write(self.folder, "apiserver")
        key = new_key()
        (self.folder / "service-account.key").write_bytes(private_key_pem(key))
        (self.folder / "service-account.pub").write_bytes(public_key_pem(key))
        # Every JSON document is a YAML document.
        self._audit_policy.write_text(json.dumps(_AUDIT_POLICY))

    def etcd_arguments(self) -> list[str]:
        """Return etcd's command line. It doesn't wait for the disk: nothing here outlives the tests."""
        peer = f"http://{self.address}:{self.etcd_peer_port}"
        return [
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={self.etcd_url}",
            f"--advertise-client-urls={self.etcd_url}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync",
            "--log-level=warn",
        ]

    def api_server_arguments(self) -> list[str]:
        """Return the API server's command line."""
        return [
            f"--etcd-servers={self.etcd_url}",
            f"--bind-address={self.address}",
            f"--secure-port={self.api_port}",
            # The default reconciler refuses to publish a loopback address.
            "--endpoint-reconciler-type=none",
            f"--service-cluster-ip-range={SERVICE_RANGE}",
            f"--tls-cert-file={self.folder / 'apiserver.crt'}",
            f"--tls-private-key-file={self.folder / 'apiserver.key'}",
            f"--client-ca-file={self.authority}",
            "--authorization-mode=RBAC",
            "--allow-privileged=true",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self.folder / 'service-account.pub'}",
            f"--service-account-signing-key-file={self.folder / 'service-account.key'}",
            f"--audit-policy-file={self._audit_policy}",
            f"--audit-log-path={self.audit_log}",
        ]

    def controller_manager_arguments(self, kubeconfig: Path) -> list[str]:
        """Return the controller manager's command line. It listens nowhere."""
        return [
            f"--kubeconfig={kubeconfig}",
            f"--root-ca-file={self.authority}",
            f"--service-account-private-key-file={self.folder / 'service-account.key'}",
            # As in real clusters, a pod's creator is then its controller's own service account.
            "--use-service-account-credentials",
            # At the default of 20 a second, getting those accounts' tokens takes most of the start.
            "--kube-api-qps=1000",
            "--kube-api-burst=1000",
            "--leader-elect=false",
            "--secure-port=0",
        ]

    @property
    def _audit_policy(self) -> Path:
        return self.folder / "audit-policy.yaml"
