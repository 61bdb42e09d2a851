"""A namespace of the tests' cluster, and pods in it, without a kubectl for each."""

import uuid
from collections.abc import Mapping
from typing import Any

import httpx

from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until

Json = dict[str, Any]

_DRY_RUN = {"dryRun": "All"}
_STRATEGIC_MERGE = {"Content-Type": "application/strategic-merge-patch+json"}
_RUNNING = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}


class RefusedError(Exception):
    """The API server refused an object; the message is its own."""


class Namespace:
    """One namespace. It stands in for the kubelet too, which this cluster lacks: see `run_pods`."""

    def __init__(self, control_plane: ControlPlane, client: httpx.Client, name: str) -> None:
        self.name = name
        self._control_plane = control_plane
        self._client = client
        self._pods = f"/api/v1/namespaces/{name}/pods"

    @classmethod
    def create(
        cls, control_plane: ControlPlane, client: httpx.Client, labels: Mapping[str, str] | None = None
    ) -> "Namespace":
        """Create a namespace with a name of its own, where pods can be created at once."""
        name = f"test-{uuid.uuid4().hex[:8]}"
        control_plane.create_namespace(name, labels)
        return cls(control_plane, client, name)

    def create_pod(self, pod: Json, *, dry_run: bool = False) -> Json:
        """Create a pod in this namespace and return it as it came out of admission.

        Raises:
            RefusedError: the API server did not take it.
        """
        pod = {**pod, "metadata": {**pod["metadata"], "namespace": self.name}}
        reply = self._client.post(self._pods, json=pod, params=_DRY_RUN if dry_run else {})
        if reply.is_error:
            raise RefusedError(reply.json()["message"])
        created: Json = reply.json()
        return created

    def delete_pod(self, pod: Json) -> None:
        """Delete a pod, which no node has to let go of."""
        self._client.delete(f"{self._pods}/{pod['metadata']['name']}").raise_for_status()

    def apply(self, *manifests: Json) -> None:
        """Apply objects in this namespace with kubectl."""
        self._control_plane.apply(
            *({**each, "metadata": {**each["metadata"], "namespace": self.name}} for each in manifests)
        )

    def pods(self) -> list[Json]:
        """Every pod of the namespace that is there to stay."""
        items: list[Json] = self._client.get(self._pods).raise_for_status().json()["items"]
        return [pod for pod in items if "deletionTimestamp" not in pod["metadata"]]

    def run_pods(self) -> None:
        """Report every pod as running and ready, as a node's kubelet would."""
        for pod in self.pods():
            if pod["status"]["phase"] == "Pending":
                status = f"{self._pods}/{pod['metadata']['name']}/status"
                reply = self._client.patch(status, json=_RUNNING, headers=_STRATEGIC_MERGE)
                if reply.status_code != httpx.codes.NOT_FOUND:  # its owner may have deleted it meanwhile
                    reply.raise_for_status()

    def finish_rollout(self, deployment: str) -> list[Json]:
        """Run pods until the Deployment's roll-out is complete, and return the pods that it left."""

        def complete() -> bool:
            self.run_pods()
            found = self._control_plane.get("deployment", deployment, "--namespace", self.name)
            wanted, status = found["spec"]["replicas"], found["status"]
            observed = status.get("observedGeneration") == found["metadata"]["generation"]
            counts = (status.get("updatedReplicas"), status.get("availableReplicas"), len(self.pods()))
            return observed and counts == (wanted, wanted, wanted)

        wait_until(complete, what=f"the roll-out of {deployment} is complete")
        return self.pods()
