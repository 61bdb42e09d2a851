"""fastload in the image's root with nothing else around it.

`python -m tests.image.enclosed ROOT LOG` says what was seen of it. It wants namespaces of its own (`unshare --mount
--net`): the root is mounted read-only, with a tmpfs for the files that a pod would have mounted, and the only network
is a loopback interface. In it are an S3 and an API server for fastload to ask. fastload is started as the Dockerfile
says, as its user.
"""

import fcntl
import json
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from demo.s3 import CREDENTIALS, REGION, embedded_s3, store
from tests.image.dockerfile import only, stages
from tests.image.making import inside
from tests.serving import QWEN, env_of, eventually, review, tls
from webhook.server.certificates import issue

_IMAGE = stages()[-1]
_REVIEWS, _ADMIN = "https://127.0.0.1:8443/mutate", "http://127.0.0.1:8080"
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1
_KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: here
contexts: [{{name: here, context: {{cluster: here, user: me}}}}]
clusters: [{{name: here, cluster: {{server: "{server}"}}}}]
users: [{{name: me, user: {{token: none}}}}]
"""


class _Api(BaseHTTPRequestHandler):
    """As much of an API server as is asked for: one namespace that opted in, nothing else, watches that end."""

    def do_GET(self) -> None:
        labels = {"fastload.dev/inject": "enabled"}
        namespace = {"metadata": {"name": "inference", "labels": labels, "resourceVersion": "1"}}
        items = [namespace] if self.path.startswith("/api/v1/namespaces") else []
        self.send_response(200)
        self.end_headers()
        if "watch=" not in self.path:
            self.wfile.write(json.dumps({"metadata": {"resourceVersion": "1"}, "items": items}).encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def main() -> None:
    root, log = map(Path, sys.argv[1:])
    _enclose(root)
    with _served_api() as api, embedded_s3() as s3, log.open("wb") as stderr:
        store(s3, QWEN)
        settings = {**only(_IMAGE, "ENV").pairs, **_mounted(root / "tmp", api), "FASTLOAD_S3_ENDPOINT": s3}
        start = only(_IMAGE, "ENTRYPOINT").exec_form + only(_IMAGE, "CMD").exec_form
        process = subprocess.Popen(inside(root, *start), env=settings, stderr=stderr)
        try:
            seen = _seen(process, root)
            check = inside(root, *only(_IMAGE, "HEALTHCHECK").exec_form)
            seen["checks"] = [subprocess.run(check, env=settings, check=False).returncode]
        finally:
            process.terminate()
            status = process.wait(30)
        seen["checks"].append(subprocess.run(check, env=settings, stderr=stderr, check=False).returncode)
    sys.stdout.write(json.dumps({**seen, "ended": status}) + "\n")


def _enclose(root: Path) -> None:
    """Makes the root read-only but for a /tmp of its own, and brings the loopback interface up."""
    for arguments in (["--bind", root, root], ["-o", "remount,bind,ro", root], ["-t", "tmpfs", "none", root / "tmp"]):
        subprocess.run(["mount", *map(str, arguments)], check=True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", _IFF_UP))


def _mounted(folder: Path, api: str) -> dict[str, str]:
    """Fills the tmpfs as a pod's volumes would be, closes it, and returns the settings that lead there."""
    files = issue(["127.0.0.1"], folder)
    files.key.chmod(0o644)
    (folder / "kubeconfig").write_text(_KUBECONFIG.format(server=api))
    folder.chmod(0o755)
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    return {
        "FASTLOAD_TLS_CERTIFICATE": f"/tmp/{files.certificate.name}",
        "FASTLOAD_TLS_KEY": f"/tmp/{files.key.name}",
        "FASTLOAD_KUBERNETES": "on",
        "FASTLOAD_DRAIN_SECONDS": "0",
        "KUBECONFIG": "/tmp/kubeconfig",
        "AWS_DEFAULT_REGION": REGION,
        **CREDENTIALS,
    }


@contextmanager
def _served_api() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Api) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _seen(process: subprocess.Popen[bytes], root: Path) -> dict[str, Any]:
    """What a client and the kernel see of it once it is ready."""

    def ready() -> bool:
        assert process.poll() is None, f"it ended with status {process.returncode}"
        try:
            return httpx.get(f"{_ADMIN}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    eventually(ready)
    asked = review()
    # The namespace says so instead, and the API server has to be asked for that.
    del asked["request"]["object"]["metadata"]["annotations"]
    with httpx.Client(verify=tls(root / "tmp/ca.pem"), timeout=10) as client:
        environment = env_of(client.post(_REVIEWS, json=asked))
    kernel = Path(f"/proc/{process.pid}")
    identity = [line for line in (kernel / "status").read_text().splitlines() if line.startswith(("Uid", "Gid"))]
    return {
        "healthz": httpx.get(f"{_ADMIN}/healthz").text,
        "environment": environment,
        "root": str((kernel / "root").readlink()),
        "identity": identity,
    }


if __name__ == "__main__":
    main()
