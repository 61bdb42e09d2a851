"""The labels that follow from an instance type."""

import pytest

from webhook.lookup.catalogue import Catalogue
from webhook.lookup.labels import describes, labels_of, may_hold
from webhook.lookup.selectors import Requirement

KARPENTER = "karpenter.k8s.aws/instance-"


@pytest.mark.parametrize("prefix", [KARPENTER, "eks.amazonaws.com/instance-"], ids=["karpenter", "auto-mode"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "p5.48xlarge",
            {
                "category": "p",
                "family": "p5",
                "generation": "5",
                "size": "48xlarge",
                "cpu": "192",
                "memory": "2097152",
                "network-bandwidth": "3200000",
                "local-nvme": "30400",
                "gpu-name": "h100",
                "gpu-manufacturer": "nvidia",
                "gpu-count": "8",
                "gpu-memory": "81920",
            },
        ),
        (
            "inf2.xlarge",
            {
                "category": "inf",
                "family": "inf2",
                "generation": "2",
                "size": "xlarge",
                "cpu": "4",
                "memory": "16384",
                "network-bandwidth": "2083",
                "accelerator-name": "inferentia2",
                "accelerator-manufacturer": "aws",
                "accelerator-count": "1",
            },
        ),
        (
            "g7.2xlarge",
            {
                "category": "g",
                "family": "g7",
                "generation": "7",
                "size": "2xlarge",
                "gpu-name": "rtx-pro-4500",
            },
        ),
        ("p6-b200.48xlarge", {"category": "p", "family": "p6-b200", "generation": "6", "gpu-name": "b200"}),
        ("u-6tb1.56xlarge", {"category": "u", "family": "u-6tb1", "generation": "1", "size": "56xlarge"}),
    ],
)
def test_karpenter_labels(catalogue: Catalogue, prefix: str, name: str, expected: dict[str, str]) -> None:
    labels = labels_of(catalogue[name])
    assert {key: labels.get(prefix + key) for key in expected} == expected


def test_what_a_type_does_not_have_is_no_label(catalogue: Catalogue) -> None:
    labels = labels_of(catalogue["m7i.large"])
    assert not [key for key in labels if "gpu" in key or "nvme" in key or "accelerator" in key]


def test_well_known_labels(catalogue: Catalogue) -> None:
    labels = labels_of(catalogue["g5g.xlarge"])
    assert labels["node.kubernetes.io/instance-type"] == labels["beta.kubernetes.io/instance-type"] == "g5g.xlarge"
    assert labels["kubernetes.io/arch"] == "arm64"
    assert labels["kubernetes.io/os"] == "linux"
    assert labels["nvidia.com/gpu.count"] == "1"


@pytest.mark.parametrize(
    ("product", "types"),
    [
        ("NVIDIA-H100-80GB-HBM3", {"p5.48xlarge", "p5.4xlarge"}),
        ("NVIDIA-H200", {"p5e.48xlarge", "p5en.48xlarge"}),
        ("NVIDIA-A100-SXM4-40GB", {"p4d.24xlarge"}),
        ("NVIDIA-A100-SXM4-80GB", {"p4de.24xlarge"}),
        ("Tesla-V100-SXM2-32GB", {"p3dn.24xlarge"}),
        ("NVIDIA-B200", {"p6-b200.48xlarge"}),
        ("NVIDIA-B300-SXM6-AC", {"p6-b300.48xlarge"}),
        ("NVIDIA-H100-80GB-HBM3-SHARED", {"p5.48xlarge", "p5.4xlarge"}),
        ("AMD-Instinct-MI300X", set()),
        ("", set()),
    ],
)
def test_gpu_products(catalogue: Catalogue, product: str, types: set[str]) -> None:
    assert {kind.name for kind in catalogue.types if describes(product, kind)} == types


@pytest.mark.parametrize(
    ("product", "families"),
    [
        ("Tesla-T4", {"g4dn"}),
        ("NVIDIA-A10G", {"g5"}),
        ("NVIDIA-L4", {"g6", "gr6", "g6f", "gr6f"}),
        ("NVIDIA-L40S", {"g6e"}),
        ("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", {"g7e"}),
        ("NVIDIA-RTX-PRO-4500-Blackwell-Server-Edition", {"g7"}),
    ],
)
def test_gpu_products_of_whole_families(catalogue: Catalogue, product: str, families: set[str]) -> None:
    assert {kind.name.partition(".")[0] for kind in catalogue.types if describes(product, kind)} == families


@pytest.mark.parametrize(
    ("operator", "values", "expected"),
    [
        ("In", ("NVIDIA-H100-80GB-HBM3",), {"p5.48xlarge"}),
        ("In", ("NVIDIA-H100-80GB-HBM3", "NVIDIA-A10G"), {"p5.48xlarge", "g5.xlarge"}),
        ("NotIn", ("NVIDIA-H100-80GB-HBM3",), {"g5.xlarge", "m7i.large"}),
        ("Exists", (), {"p5.48xlarge", "g5.xlarge"}),
        ("DoesNotExist", (), {"m7i.large"}),
    ],
)
def test_operators_on_the_gpu_product(
    catalogue: Catalogue, operator: str, values: tuple[str, ...], expected: set[str]
) -> None:
    wanted = Requirement("nvidia.com/gpu.product", operator, values)
    some = ("p5.48xlarge", "g5.xlarge", "m7i.large")
    assert {name for name in some if may_hold(wanted, catalogue[name])} == expected


@pytest.mark.parametrize("operator", ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])
def test_a_label_that_does_not_follow_from_the_type_may_always_hold(catalogue: Catalogue, operator: str) -> None:
    assert may_hold(Requirement("nodegroup-type", operator, ("7",)), catalogue["p5.48xlarge"])
