"""What the chart renders of many combinations of values, checked by the real API server."""

from typing import Any

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import wait_until
from tests.deploy.rendering import CHART, INSTALL, helm
from tests.e2e.definitions import DEFINITIONS
from tests.e2e.namespace import Namespace

CERTIFICATE = {"source": "secret", "caBundle": "-----BEGIN CERTIFICATE-----\n"}
ISSUED = {"source": "cert-manager", "certManager": {"issuerRef": {"kind": "ClusterIssuer", "name": "corporate"}}}
EVERYTHING = {
    "image": {"repository": "123456789012.dkr.ecr.us-west-2.amazonaws.com/fastload", "tag": "1.0"},
    "imagePullSecrets": [{"name": "registry"}],
    "settings": {"allowedBuckets": ["models-*"], "logLevel": "debug", "previewLimitBytes": 8388608},
    "env": [{"name": "AWS_REGION", "value": "us-west-2"}],
    "webhooks": {"annotations": {"example.com/owner": "platform"}, "timeoutSeconds": 10},
    "autoscaling": {"enabled": True, "maxReplicas": 9},
    "podDisruptionBudget": {"maxUnavailable": "50%"},
    "service": {"annotations": {"example.com/owner": "platform"}},
    "serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::123456789012:role/fastload"}},
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}],
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "nvidia.com/gpu", "operator": "DoesNotExist"}]}]
            }
        }
    },
    "priorityClass": {"create": True, "value": 1000000000},
    "volumes": [{"name": "authority", "configMap": {"name": "authority"}}],
    "volumeMounts": [{"name": "authority", "mountPath": "/etc/authority", "readOnly": True}],
    "networkPolicy": {
        "enabled": True,
        "reviewsFrom": [{"ipBlock": {"cidr": "10.0.0.0/24"}}],
        "adminFrom": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}],
        "egress": [{"ports": [{"port": 9000}], "to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}],
    },
    "serviceMonitor": {"enabled": True, "interval": "30s", "labels": {"release": "prometheus"}},
    "dashboard": {"enabled": True, "annotations": {"grafana_folder": "Inference"}},
    "commonLabels": {"team": "inference"},
    "commonAnnotations": {"example.com/owner": "platform"},
    "podLabels": {"example.com/log": "true"},
    "podAnnotations": {"example.com/log": "json"},
}


@pytest.fixture(scope="module")
def others(control_plane: ControlPlane) -> None:
    """The kinds of the Prometheus operator and of cert-manager, served."""
    control_plane.apply(*DEFINITIONS)
    names = ",".join(definition["metadata"]["name"] for definition in DEFINITIONS)
    wait_until(
        lambda: not control_plane.kubectl("get", names, "--all-namespaces", check=False).returncode,
        what=f"{names} are served",
    )


@pytest.mark.usefixtures("others")
@pytest.mark.parametrize(
    "values",
    [
        pytest.param({}, id="default values"),
        pytest.param({"certificates": CERTIFICATE}, id="a certificate of one's own"),
        pytest.param({"certificates": {"source": "cert-manager"}}, id="cert-manager's certificate"),
        pytest.param({"certificates": ISSUED}, id="cert-manager's certificate by an issuer that there is"),
        pytest.param({"workloadWarnings": {"enabled": False}}, id="no warnings on workloads"),
        pytest.param(EVERYTHING, id="everything"),
        pytest.param({"hostNetwork": True, "ports": {"reviews": 9443, "admin": 9080}}, id="on the nodes' network"),
        pytest.param({"service": {"port": 8443}, "annotationPrefix": "tune.example"}, id="another port and prefix"),
        pytest.param({"serviceAccount": {"create": False, "name": "mine"}, "rbac": {"create": False}}, id="own rights"),
        pytest.param({"replicas": 1, "podDisruptionBudget": {"enabled": False}}, id="one replica"),
        pytest.param({"resources": None, "topologySpreadConstraints": []}, id="neither resources nor spread"),
        pytest.param({"webhooks": {"excludedNamespaces": []}, "nameOverride": "tuner"}, id="excluding none"),
        pytest.param({"fullnameOverride": "f" * 63, "priorityClassName": "system-cluster-critical"}, id="a long name"),
        pytest.param(
            {"webhooks": {"failurePolicy": "Fail", "reinvocationPolicy": "Never", "matchPolicy": "Exact"}},
            id="webhooks the other way",
        ),
    ],
)
def test_the_api_server_takes_it(control_plane: ControlPlane, namespace: Namespace, values: dict[str, Any]) -> None:
    restricted = "pod-security.kubernetes.io/enforce=restricted"
    if not values.get("hostNetwork"):
        control_plane.kubectl("label", "namespace", namespace.name, restricted, restricted.replace("enforce", "warn"))
    rendered = helm("template", "probe", str(CHART), "--namespace", namespace.name, values=values)
    assert rendered.returncode == 0, rendered.stderr

    done = control_plane.kubectl("apply", "--dry-run=server", "-f", "-", stdin=rendered.stdout, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_api_server_takes_install_yaml(control_plane: ControlPlane) -> None:
    # Its namespace has to be there for the objects in it, as a dry run makes none.
    if control_plane.kubectl("get", "namespace", "fastload", check=False).returncode:
        control_plane.create_namespace("fastload")

    done = control_plane.kubectl("apply", "--dry-run=server", "-f", str(INSTALL), check=False)

    assert done.returncode == 0, done.stderr
