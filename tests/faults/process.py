"""The process under a fault: what it answers, and what that costs it."""

import base64
import json
from pathlib import Path
from typing import Any

import httpx
import jsonpatch
from prometheus_client.parser import text_string_to_metric_families

from demo.webhook import Running
from tests.serving import review

Json = dict[str, Any]
CERTAIN = "VLLM_CACHE_ROOT"
"""What a pod gets whatever its look-ups say."""
UNCERTAIN = frozenset({"RUNAI_STREAMER_CONCURRENCY", "RUNAI_STREAMER_CHUNK_BYTESIZE", "RUNAI_STREAMER_MEMORY_LIMIT"})
"""What takes the model's listing."""


def review_of(uri: str, *, env: dict[str, str] | None = None) -> Json:
    """The review of a pod that opted in and streams this model."""
    sent = review()
    container = sent["request"]["object"]["spec"]["containers"][0]
    container["args"][0] = f"--model={uri}"
    container["env"] += [{"name": name, "value": value} for name, value in (env or {}).items()]
    return sent


class Answered:
    """A review's answer, applied to its pod as the API server does."""

    def __init__(self, sent: Json, reply: httpx.Response) -> None:
        assert reply.status_code == 200, reply.text
        response = reply.json()["response"]
        # A pod is refused by either: a `no`, or a patch that does not apply.
        assert response["allowed"] is True
        assert response["uid"] == sent["request"]["uid"]
        before = sent["request"]["object"]
        operations = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
        self.pod: Json = jsonpatch.apply_patch(before, operations)
        assert {each["op"] for each in operations} <= {"add"}
        audit = response.get("auditAnnotations", {})
        self.status: str = audit.get("status", "")
        self.reasons = frozenset(audit.get("reasons", "").split(","))
        entries = self.pod["spec"]["containers"][0]["env"]
        self.env = {each["name"]: each.get("value") for each in entries}
        # What the user set stays.
        assert entries[: len(before["spec"]["containers"][0]["env"])] == before["spec"]["containers"][0]["env"]


class Process:
    """`fastload serve` as it runs, its metrics, its memory, and a client of it."""

    def __init__(self, running: Running, client: httpx.Client) -> None:
        self.running = running
        self.client = client

    def ask(self, sent: Json) -> Answered:
        """Sends a review."""
        return Answered(sent, self.client.post(self.running.reviews, json=sent))

    def metric(self, name: str, **labels: str) -> float:
        """The value of one series; 0 where there is none."""
        text = httpx.get(f"{self.running.admin}/metrics", timeout=30).text
        samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
        return sum(each.value for each in samples if each.name == name and each.labels.items() >= labels.items())

    def forget_peak(self) -> None:
        """Begins to measure the peak of its memory anew."""
        self._proc("clear_refs").write_text("5")

    def peak_mib(self) -> float:
        """The most memory that it had resident since, in MiB."""
        return self._status("VmHWM")

    def memory_mib(self) -> float:
        """The memory that it has resident now, in MiB."""
        return self._status("VmRSS")

    def descriptors(self) -> int:
        """How many files and connections it has open."""
        return len(list(self._proc("fd").iterdir()))

    def _status(self, field: str) -> float:
        lines = self._proc("status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{field}:"))

    def _proc(self, name: str) -> Path:
        return Path(f"/proc/{self.running.process.pid}/{name}")
