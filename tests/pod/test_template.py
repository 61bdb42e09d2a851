"""Pod templates are found wherever workloads keep them."""

from typing import Any

import jsonpointer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.pod.template import Template, find_templates

POD: dict[str, Any] = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c"}]}}


def workload(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "x/v1", "kind": kind, "metadata": {"name": "w", "namespace": "n"}, "spec": spec}


ROLE = {"name": "r", "template": POD}
RAY = {"headGroupSpec": {"template": POD}, "workerGroupSpecs": [{"template": POD}, {"template": POD}]}
HEAD_AND_WORKERS = ["/headGroupSpec/template", "/workerGroupSpecs/0/template", "/workerGroupSpecs/1/template"]

WORKLOADS = [
    *(
        (workload(kind, {"template": POD}), ["/spec/template"])
        for kind in ("Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "Job", "Rollout", "Service", "SomeNewKind")
    ),
    (workload("CronJob", {"jobTemplate": {"spec": {"template": POD}}}), ["/spec/jobTemplate/spec/template"]),
    (
        workload(
            "LeaderWorkerSet", {"leaderWorkerTemplate": {"size": 2, "leaderTemplate": POD, "workerTemplate": POD}}
        ),
        ["/spec/leaderWorkerTemplate/leaderTemplate", "/spec/leaderWorkerTemplate/workerTemplate"],
    ),
    (workload("RayCluster", RAY), [f"/spec{path}" for path in HEAD_AND_WORKERS]),
    (workload("RayService", {"rayClusterConfig": RAY}), [f"/spec/rayClusterConfig{path}" for path in HEAD_AND_WORKERS]),
    (workload("RayJob", {"rayClusterSpec": RAY}), [f"/spec/rayClusterSpec{path}" for path in HEAD_AND_WORKERS]),
    (
        workload("JobSet", {"replicatedJobs": [{"template": {"spec": {"template": POD}}}]}),
        ["/spec/replicatedJobs/0/template/spec/template"],
    ),
    (
        workload("PyTorchJob", {"pytorchReplicaSpecs": {"Master": {"template": POD}, "a/b~c": {"template": POD}}}),
        ["/spec/pytorchReplicaSpecs/Master/template", "/spec/pytorchReplicaSpecs/a~1b~0c/template"],
    ),
    (workload("StormService", {"template": {"spec": {"roles": [ROLE]}}}), ["/spec/template/spec/roles/0/template"]),
    (
        workload("Job", {"tasks": [{"template": POD}, {}, {"template": POD}]}),
        [f"/spec/tasks/{at}/template" for at in (0, 2)],
    ),
    ({"kind": "Pod", **POD}, [""]),
    ({"kind": "PodList", "items": [POD, {"kind": "Pod", **POD}]}, ["/items/0", "/items/1"]),
    ({"kind": "DeploymentList", "items": [{"spec": {"template": POD}}]}, ["/items/0/spec/template"]),
    ({"kind": "JobList", "items": [{"spec": {"tasks": [{"template": POD}]}}]}, ["/items/0/spec/tasks/0/template"]),
    (
        {"kind": "List", "items": [workload("Job", {"template": POD}), None, {"kind": "Pod", **POD}]},
        ["/items/0/spec/template", "/items/2"],
    ),
]


@pytest.mark.parametrize(
    ("document", "pointers"), WORKLOADS, ids=lambda value: str(value.get("kind")) if isinstance(value, dict) else ""
)
def test_templates_are_found_where_they_lie(document: dict[str, Any], pointers: list[str]) -> None:
    found = find_templates(document)
    assert [template.pointer for template in found] == pointers
    for template in found:
        assert jsonpointer.resolve_pointer(document, template.pointer) is template.template


def test_a_template_says_whose_it_is() -> None:
    assert find_templates(workload("Job", {"template": POD})) == [
        Template(kind="Job", name="w", namespace="n", pointer="/spec/template", ambient={}, template=POD)
    ]


def test_a_generated_name_counts() -> None:
    (found,) = find_templates({"kind": "Pod", "metadata": {"generateName": "p-"}, "spec": POD["spec"]})
    assert (found.name, found.namespace) == ("p-", None)


def test_a_leader_worker_set_adds_environment() -> None:
    document = workload(
        "LeaderWorkerSet", {"leaderWorkerTemplate": {"size": 4, "leaderTemplate": POD, "workerTemplate": POD}}
    )
    leader, worker = find_templates(document)
    assert leader.ambient == {"LWS_GROUP_SIZE": "4", "LWS_WORKER_INDEX": "0"}
    assert worker.ambient == {"LWS_GROUP_SIZE": "4"}


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"kind": "ConfigMap", "data": {}},
        {"kind": "Service", "spec": {"selector": {}}},
        workload("Deployment", {"template": None}),
        workload("Deployment", {"template": {"spec": {"containers": None}}}),
        workload("LeaderWorkerSet", {}),
        workload("RayCluster", {"workerGroupSpecs": "x"}),
        workload("JobSet", {"replicatedJobs": [None, {}]}),
        {"kind": "List", "items": None},
        {"kind": ["Pod"], "spec": 1},
    ],
)
def test_documents_without_a_template(document: dict[str, Any]) -> None:
    assert find_templates(document) == []


KEYS = st.sampled_from(
    [
        "kind",
        "spec",
        "template",
        "items",
        "containers",
        "metadata",
        "name",
        "leaderWorkerTemplate",
        "workerGroupSpecs",
        "replicatedJobs",
        "roles",
    ]
)
KINDS = st.sampled_from(
    ["Pod", "List", "CronJob", "LeaderWorkerSet", "RayCluster", "RayJob", "JobSet", "PyTorchJob", "StormService"]
)
DOCUMENTS = st.recursive(
    st.none() | st.integers() | KINDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)


@given(st.dictionaries(KEYS, DOCUMENTS))
def test_no_document_makes_the_search_fail(document: dict[str, Any]) -> None:
    for template in find_templates(document):
        assert jsonpointer.resolve_pointer(document, template.pointer) is template.template
