"""What is kept of namespaces, nodes and NodePools."""

from typing import Any

import msgspec
import pytest

from webhook.lookup.facts import PodSecurity
from webhook.lookup.selectors import Requirement, Taint
from webhook.lookup.stores import NamespaceRules, Namespaces, Nodes, NodeView, Pools, PoolView
from webhook.lookup.watching import Named

ENFORCE = "pod-security.kubernetes.io/enforce"


def namespace(name: str, **labels: str) -> Named:
    return msgspec.convert({"metadata": {"name": name, "labels": labels}}, Named)


def node(name: str, labels: dict[str, str] | None = None, gpus: int = 8, taints: list[Any] | None = None) -> NodeView:
    document = {
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": {"providerID": f"aws:///us-west-2a/{name}", "taints": taints},
        "status": {"allocatable": {"cpu": "190", "nvidia.com/gpu": str(gpus), "hugepages-2Mi": "0"}},
    }
    return msgspec.json.decode(msgspec.json.encode(document), type=NodeView)


@pytest.mark.parametrize(
    ("labels", "level"),
    [
        ({}, PodSecurity.PRIVILEGED),
        ({ENFORCE: "baseline"}, PodSecurity.BASELINE),
        ({ENFORCE: "restricted"}, PodSecurity.RESTRICTED),
        ({ENFORCE: "privileged"}, PodSecurity.PRIVILEGED),
        ({ENFORCE: "strict"}, PodSecurity.RESTRICTED),
        ({ENFORCE: ""}, PodSecurity.PRIVILEGED),
        ({"pod-security.kubernetes.io/warn": "restricted"}, PodSecurity.PRIVILEGED),
    ],
)
def test_pod_security(labels: dict[str, str], level: PodSecurity) -> None:
    assert NamespaceRules().read("team-a", labels).pod_security is level


def test_the_clusters_own_default_of_pod_security() -> None:
    rules = NamespaceRules(pod_security=PodSecurity.BASELINE)
    assert rules.read("team-a", {}).pod_security is PodSecurity.BASELINE
    assert rules.read("team-a", {ENFORCE: "privileged"}).pod_security is PodSecurity.PRIVILEGED


@pytest.mark.parametrize(
    ("prefix", "labels", "opted_in"),
    [
        ("fastload.dev", {"fastload.dev/inject": "enabled"}, True),
        ("fastload.dev", {"fastload.dev/inject": "true"}, False),
        ("fastload.dev", {"fastload.dev/inject": "disabled"}, False),
        ("fastload.dev", {}, False),
        ("acme.io", {"acme.io/inject": "enabled"}, True),
        ("acme.io", {"fastload.dev/inject": "enabled"}, False),
    ],
)
def test_opt_in(prefix: str, labels: dict[str, str], opted_in: bool) -> None:  # noqa: FBT001 - a column
    assert NamespaceRules(prefix=prefix).read("team-a", labels).opted_in is opted_in


def test_namespaces_come_change_and_go() -> None:
    store = Namespaces(NamespaceRules())
    store.replace([namespace("a"), namespace("b", **{ENFORCE: "baseline"})])
    assert store.by_name["b"].pod_security is PodSecurity.BASELINE
    store.put(namespace("b", **{"fastload.dev/inject": "enabled"}))
    assert (store.by_name["b"].opted_in, store.by_name["b"].pod_security) == (True, PodSecurity.PRIVILEGED)
    store.remove("b")
    store.remove("never-there")
    assert set(store.by_name) == {"a"}
    store.replace([namespace("c")])
    assert set(store.by_name) == {"c"}


P5 = {"node.kubernetes.io/instance-type": "p5.48xlarge", "topology.kubernetes.io/region": "us-west-2"}


def test_nodes_that_differ_by_name_only_are_one_kind() -> None:
    store = Nodes()
    store.replace([node(f"node-{number}", P5 | {"nvidia.com/gfd.timestamp": str(number)}) for number in range(100)])
    (kind,) = store.kinds
    assert kind.instance_type == "p5.48xlarge"
    assert kind.region == "us-west-2"
    assert kind.devices == {"nvidia.com/gpu": 8}
    assert len(store.by_name) == 100


def test_the_revision_grows_only_when_a_kind_comes_or_goes() -> None:
    store = Nodes()
    store.put(node("node-1", P5))
    before = store.revision
    store.put(node("node-1", P5))
    store.put(node("node-2", P5))
    store.remove("node-1")
    assert store.revision == before
    store.put(node("node-3", P5, gpus=4))
    assert store.revision == before + 1
    store.remove("node-2")
    assert store.revision == before + 2
    assert [kind.devices for kind in store.kinds] == [{"nvidia.com/gpu": 4}]


def test_a_node_that_changes_its_kind() -> None:
    store = Nodes()
    store.put(node("node-1", P5, gpus=0))
    store.put(node("node-1", P5, gpus=8))
    assert [kind.devices for kind in store.kinds] == [{"nvidia.com/gpu": 8}]
    assert store.by_name["node-1"] is store.kinds[0]


def test_a_new_list_of_nodes_replaces_the_old() -> None:
    store = Nodes()
    store.replace([node("node-1", P5), node("node-2", {"team": "a"})])
    store.replace([node("node-2", P5)])
    assert set(store.by_name) == {"node-2"}
    assert len(store.kinds) == 1


def test_only_lasting_taints_count() -> None:
    taints = [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
        {"key": "node.cloudprovider.kubernetes.io/uninitialized", "value": "true", "effect": "NoSchedule"},
        {"key": "karpenter.sh/disrupted", "effect": "NoSchedule"},
        {"key": "ebs.csi.aws.com/agent-not-ready", "effect": "NoExecute"},
        {"key": "bare", "effect": "NoSchedule"},
    ]
    store = Nodes()
    store.put(node("node-1", P5, taints=taints))
    assert store.kinds[0].taints == (Taint("bare", "", "NoSchedule"), Taint("nvidia.com/gpu", "present", "NoSchedule"))


@pytest.mark.parametrize("document", [b'{"metadata":{"name":"n"}}', b'{"metadata":{"name":"n"},"spec":{},"status":{}}'])
def test_a_node_that_says_nothing(document: bytes) -> None:
    store = Nodes()
    store.put(msgspec.json.decode(document, type=NodeView))
    assert store.kinds[0].instance_type is None
    assert store.kinds[0].devices == {}


FAMILY = "karpenter.k8s.aws/instance-family"


def nodepool(name: str, family: str) -> PoolView:
    document = {
        "metadata": {"name": name},
        "spec": {
            "template": {
                "metadata": {"labels": {"team": "a"}},
                "spec": {
                    "requirements": [
                        {
                            "key": "karpenter.k8s.aws/instance-family",
                            "operator": "In",
                            "values": [family],
                            "minValues": 1,
                        },
                        {"key": "karpenter.k8s.aws/instance-gpu-count", "operator": "Exists"},
                    ],
                    "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}],
                    "startupTaints": [{"key": "starting", "effect": "NoSchedule"}],
                    "nodeClassRef": {"name": "default"},
                },
            }
        },
    }
    return msgspec.json.decode(msgspec.json.encode(document), type=PoolView)


def test_nodepools() -> None:
    store = Pools()
    store.replace([nodepool("gpu", "p5")])
    found = store.by_name["gpu"]
    assert found.requirements == (
        Requirement("team", "In", ("a",)),
        Requirement(FAMILY, "In", ("p5",)),
        Requirement("karpenter.k8s.aws/instance-gpu-count", "Exists"),
    )
    assert found.taints == (Taint("nvidia.com/gpu", "", "NoSchedule"),)


def test_nodepools_come_change_and_go() -> None:
    store = Pools()
    store.put(nodepool("gpu", "p5"))
    before = store.revision
    store.put(nodepool("gpu", "p5"))
    assert store.revision == before
    store.put(nodepool("gpu", "g6e"))
    assert store.revision == before + 1
    store.remove("gpu")
    assert store.by_name == {}
    assert store.revision == before + 2
