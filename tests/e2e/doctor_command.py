"""`kubectl fastload doctor`, run by the real kubectl as its user does."""

import json

from tests.e2e.installation import NAMESPACE
from tests.e2e.pods import Json
from tests.e2e.preview_command import PreviewCommand

SLICE: Json = {
    "apiVersion": "discovery.k8s.io/v1",
    "kind": "EndpointSlice",
    "metadata": {
        "name": "fastload-by-hand",
        "namespace": NAMESPACE,
        "labels": {"kubernetes.io/service-name": "fastload"},
    },
    "addressType": "IPv4",
    "ports": [{"name": "reviews", "port": 8443}],
    "endpoints": [{"addresses": [f"10.0.0.{number}"], "conditions": {"ready": True}} for number in (1, 2)],
}


class Doctor:
    """The command, as its user has it."""

    def __init__(self, command: PreviewCommand) -> None:
        self._command = command

    def __call__(self, *flags: str) -> tuple[int, list[Json]]:
        """Return the exit status, and the findings."""
        done = self._command.run("fastload", "doctor", "-o", "json", *flags)
        assert done.stderr.removeprefix("error: exit status 1\n").removeprefix("error: exit status 2\n") == ""
        report = json.loads(done.stdout)
        assert report["status"] == done.returncode
        return done.returncode, report["findings"]

    def problems(self) -> list[Json]:
        """Return the problems alone, and there has to be one."""
        status, findings = self()
        assert status == 1
        return [each for each in findings if each["level"] == "problem"]

    def installation_problems(self) -> list[Json]:
        """Return the problems of fastload itself; other tests' namespaces, workloads and pods are as they left them."""
        return [each for each in self.problems() if each["check"] not in ("namespaces", "workloads", "pods", "s3")]
