"""What fastload may do in a cluster, written down a second time: a right more takes a change here too."""

from typing import Any

import pytest
import yaml

from tests.deploy.rendering import CHART, template

Json = dict[str, Any]

CLUSTER_WIDE: set[str] = {
    "get,list,watch namespaces,nodes",
    "get,list,watch karpenter.sh/nodepools",
}

# What it takes to keep a certificate by itself. A right to create cannot be bound to a name.
CERTIFICATES: set[str] = {
    (
        "get,patch admissionregistration.k8s.io/mutatingwebhookconfigurations,"
        "admissionregistration.k8s.io/validatingwebhookconfigurations fastload"
    ),
}
CERTIFICATES_IN_ITS_NAMESPACE: set[str] = {
    "get,update secrets fastload-tls",
    "create secrets",
    "get,update coordination.k8s.io/leases fastload-tls",
    "create coordination.k8s.io/leases",
}


@pytest.mark.parametrize("source", ["secret", "cert-manager"])
def test_its_rights_with_a_certificate_of_somebody_elses(source: str) -> None:
    assert rights_of("ClusterRole", source) == CLUSTER_WIDE
    assert rights_of("Role", source) == set()


def test_its_rights_with_a_certificate_of_its_own() -> None:
    assert rights_of("ClusterRole", "self-managed") == CLUSTER_WIDE | CERTIFICATES
    assert rights_of("Role", "self-managed") == CERTIFICATES_IN_ITS_NAMESPACE


def rights_of(kind: str, source: str) -> set[str]:
    done = template({"certificates": {"source": source}})
    assert done.returncode == 0, done.stderr
    return {right(rule) for each in yaml.safe_load_all(done.stdout) if each["kind"] == kind for rule in each["rules"]}


def right(rule: Json) -> str:
    """One rule of a role in a line: verbs, resources with their group, and names if it is bound to some."""
    (group,) = rule["apiGroups"]
    resources = ",".join(f"{group}/{resource}" if group else resource for resource in rule["resources"])
    return " ".join([",".join(rule["verbs"]), resources, *rule.get("resourceNames", [])])


def test_it_asks_aws_for_no_more_than_what_it_calls() -> None:
    """ListObjectsV2 and HeadBucket both take s3:ListBucket (the S3 user guide's list of required permissions)."""
    (statement,) = yaml.safe_load((CHART.parent / "iam-policy.json").read_text())["Statement"]
    assert (statement["Effect"], statement["Action"]) == ("Allow", "s3:ListBucket")
