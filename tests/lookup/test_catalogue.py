"""The catalogue: its figures, and that it is made the same way every time."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from webhook.lookup.catalogue import Catalogue
from webhook.lookup.catalogue_build import TARGET, main, read_type
from webhook.lookup.facts import InstanceType

FIGURES = {
    # type: GPUs, GPU, baseline and one card's Gbit/s, instance store GB, NVLink, maker, architecture
    "p5.48xlarge": (8, "H100", 3200, 100, 30400, True, "nvidia", "amd64"),
    "p5.4xlarge": (1, "H100", 100, 100, 3800, False, "nvidia", "amd64"),
    "p4d.24xlarge": (8, "A100", 400, 100, 8000, True, "nvidia", "amd64"),
    "g6e.48xlarge": (8, "L40S", 400, 100, 7600, False, "nvidia", "amd64"),
    "g5.xlarge": (1, "A10G", 2.5, 2.5, 250, False, "nvidia", "amd64"),
    "g5g.xlarge": (1, "T4g", 1.25, 1.25, 0, False, "nvidia", "arm64"),
    "g6f.large": (1, "L4", 1.5, 1.5, 100, False, "nvidia", "amd64"),
    "trn2.48xlarge": (16, "Trainium2", 3200, 200, 7600, False, "aws", "amd64"),
    "m7i.large": (0, None, 0.781, 0.781, 0, False, None, "amd64"),
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures(catalogue: Catalogue, name: str) -> None:
    kind = catalogue[name]
    assert FIGURES[name] == (
        kind.gpus,
        kind.gpu_name,
        kind.network_baseline_gbps,
        kind.network_card_gbps,
        kind.local_nvme_gb,
        kind.nvlink,
        kind.accelerator,
        kind.arch,
    )


def test_every_figure_is_plausible(catalogue: Catalogue) -> None:
    for kind in catalogue.types:
        assert kind.network_baseline_gbps > 0
        assert 0 < kind.network_card_gbps <= kind.network_baseline_gbps
        assert kind.vcpus > 0
        assert kind.memory_gib > 0
        assert (kind.gpus > 0) == (kind.accelerator is not None) == (kind.gpu_memory_gib > 0)


def test_types_without_a_gpu_are_told_from_types_nobody_knows(catalogue: Catalogue) -> None:
    assert catalogue["m7i.large"].gpus == 0
    assert "m7i.gigantic" not in catalogue


def test_the_file_in_the_package_is_what_the_script_makes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "catalogue.json"
    assert main(["--output", str(made)]) == 0
    assert made.read_bytes() == TARGET.read_bytes()
    assert "carried by moto" in capsys.readouterr().out


def answer(network: object, storage: object = None) -> Any:  # noqa: ANN401 - boto3's types are only for a checker
    """A DescribeInstanceTypes answer for one type, as boto3 gives it."""
    return {
        "InstanceType": "x9.large",
        "VCpuInfo": {"DefaultVCpus": 2},
        "MemoryInfo": {"SizeInMiB": 4096},
        "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
        "NetworkInfo": network,
        "InstanceStorageInfo": storage,
    }


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        ({"NetworkPerformance": "25 Gigabit"}, 25.0),
        ({"NetworkPerformance": "4x 100 Gigabit"}, 400.0),
        ({"NetworkPerformance": "Up to 12.5 Gigabit"}, 1.25),
        ({"NetworkPerformance": "Moderate"}, 0.03),
        ({}, 0.03),
        (
            {
                "NetworkPerformance": "200 Gigabit",
                "NetworkCards": [
                    {"NetworkCardIndex": 0, "BaselineBandwidthInGbps": 200, "PeakBandwidthInGbps": 200},
                    {"NetworkCardIndex": 1, "BaselineBandwidthInGbps": 200, "PeakBandwidthInGbps": 200},
                ],
            },
            200.0,
        ),
        ({"NetworkPerformance": "25 Gigabit", "NetworkCards": [{"NetworkCardIndex": 0}]}, 25.0),
        (
            {
                "NetworkPerformance": "Up to 9 Gigabit",
                "NetworkCards": [
                    {"NetworkCardIndex": 0, "BaselineBandwidthInGbps": 1.5, "PeakBandwidthInGbps": 4.5},
                    {"NetworkCardIndex": 1, "BaselineBandwidthInGbps": 1.5, "PeakBandwidthInGbps": 4.5},
                ],
            },
            3.0,
        ),
    ],
    ids=[
        "text",
        "several cards",
        "up to",
        "word",
        "nothing",
        "cards that repeat the whole",
        "cards without figures",
        "cards",
    ],
)
def test_bandwidth(network: dict[str, Any], expected: float) -> None:
    kind = read_type(answer(network))
    assert kind.network_baseline_gbps == pytest.approx(expected)


def test_a_disk_without_nvme_is_no_instance_store() -> None:
    storage = {"TotalSizeInGB": 80, "NvmeSupport": "unsupported"}
    assert read_type(answer({}, storage)).local_nvme_gb == 0


def test_a_type_survives_the_files_form(catalogue: Catalogue) -> None:
    kind = catalogue["p5.48xlarge"]
    assert msgspec.json.decode(msgspec.json.encode(kind), type=InstanceType) == kind
