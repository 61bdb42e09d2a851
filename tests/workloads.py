"""Workloads under review, and the endpoint that foretells what their pods will get."""

from tests.reviews import Json, Ledger, World1, pipeline, pod, response, review
from webhook.admission.endpoint import ReviewEndpoint
from webhook.admission.journal import Journal, StructuredLog, Subject
from webhook.admission.settings import AdmissionSettings
from webhook.admission.workload_reviewer import WorkloadReviewer
from webhook.pipeline import Pipeline

INJECT = "fastload.dev/inject"
KINDS = {
    "Deployment": ("apps", "deployments"),
    "StatefulSet": ("apps", "statefulsets"),
    "Job": ("batch", "jobs"),
    "CronJob": ("batch", "cronjobs"),
    "LeaderWorkerSet": ("leaderworkerset.x-k8s.io", "leaderworkersets"),
}


def workloads(
    world: World1 | None = None, *, tuner: Pipeline | None = None, ledger: Ledger | None = None, deadline: float = 5.0
) -> ReviewEndpoint:
    world = world or World1()
    reviewer = WorkloadReviewer(
        tuner or pipeline(world), world, annotation_prefix="fastload.dev", deadline_seconds=deadline
    )
    journal = Journal(ledger or Ledger(), StructuredLog(), subject=Subject.WORKLOAD)
    return ReviewEndpoint(reviewer, AdmissionSettings(), journal)


def template(**annotations: str) -> Json:
    made = pod(**annotations)
    return {"metadata": {"annotations": made["metadata"]["annotations"]}, "spec": made["spec"]}


def workload(kind: str, of: Json | None) -> Json:
    """A workload of a kind around a template."""
    specs: dict[str, Json] = {
        "CronJob": {"jobTemplate": {"spec": {"template": of}}},
        "LeaderWorkerSet": {"leaderWorkerTemplate": {"size": 2, "workerTemplate": of}},
    }
    return {"kind": kind, "metadata": {"name": "qwen"}, "spec": specs.get(kind, {"template": of})}


def review_of(of: object, as_kind: str = "Deployment", **request: object) -> Json:
    """The review of a workload's creation; `request` overrides its fields."""
    group, resource = KINDS[as_kind]
    fields = {
        "kind": {"group": group, "version": "v1", "kind": as_kind},
        "resource": {"group": group, "version": "v1", "resource": resource},
        "name": "qwen",
    }
    return review(of, **{**fields, **request})


def answer_to(of: Json, kind: str = "Deployment", world: World1 | None = None) -> Json:
    """What is answered to a workload; a patch fails the test."""
    answered = response(workloads(world), review_of(of, kind))
    assert "patch" not in answered
    return answered


def warnings_of(of: Json, kind: str = "Deployment", world: World1 | None = None) -> list[str]:
    said: list[str] = answer_to(of, kind, world).get("warnings", [])
    return said
