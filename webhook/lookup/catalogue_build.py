"""Writes the package's catalogue of instance types: `python -m webhook.lookup.catalogue_build`.

The figures come from EC2's DescribeInstanceTypes through boto3. By default the answer is the copy that moto carries, so
that the file can be made again anywhere, byte for byte; `--aws REGION` asks the real service with the credentials boto3
finds.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import msgspec

from webhook.lookup.facts import InstanceType

if TYPE_CHECKING:
    from mypy_boto3_ec2.type_defs import InstanceTypeInfoTypeDef, NetworkInfoTypeDef

TARGET = Path(__file__).parent / "data" / "instance_types.json"

# Families whose GPUs are joined by NVLink (AWS, 'Amazon EC2 accelerated computing instances'): every p family since p3.
# The g families join their GPUs over PCIe.
_NVLINK = re.compile(r"p[3-9]")
# The slowest type's baseline in Gbit/s, for a type with neither figures nor a text with one ("Moderate").
_SLOWEST_GBPS = 0.03
_GIGABITS = re.compile(r"(?:(\d+)x )?([\d.]+) Gigabit")


class Accelerators(msgspec.Struct, frozen=True):
    """The accelerators of one type: how many a pod can ask for, and what they are. Memory in GiB, of one."""

    count: int = 0
    name: str | None = None
    memory_gib: float = 0.0
    maker: str | None = None


class Bandwidth(msgspec.Struct, frozen=True):
    """The network bandwidth of one type in Gbit/s: of all cards, and the baseline of the first one alone."""

    baseline: float
    peak: float
    first_card: float


def read_type(info: "InstanceTypeInfoTypeDef") -> InstanceType:
    """Reads one type out of a DescribeInstanceTypes answer."""
    accelerators = _accelerators(info)
    bandwidth = _bandwidth(info.get("NetworkInfo") or {})
    storage = info.get("InstanceStorageInfo") or {}
    nvme = storage.get("NvmeSupport", "unsupported") != "unsupported"
    architectures = info["ProcessorInfo"].get("SupportedArchitectures", [])
    return InstanceType(
        name=info["InstanceType"],
        vcpus=info["VCpuInfo"]["DefaultVCpus"],
        memory_gib=_gib(info["MemoryInfo"]["SizeInMiB"]),
        gpus=accelerators.count,
        gpu_name=accelerators.name,
        gpu_memory_gib=accelerators.memory_gib,
        network_baseline_gbps=bandwidth.baseline,
        local_nvme_gb=storage.get("TotalSizeInGB", 0) if nvme else 0,
        nvlink=accelerators.count > 1 and _NVLINK.match(info["InstanceType"]) is not None,
        accelerator=accelerators.maker,
        arch="arm64" if any(each.startswith("arm64") for each in architectures) else "amd64",
        network_card_gbps=bandwidth.first_card,
    )


def _accelerators(info: "InstanceTypeInfoTypeDef") -> Accelerators:
    """Reads the accelerators of a type; a type that has only shares of a GPU counts its shares."""
    for gpu in (info.get("GpuInfo") or {}).get("Gpus", []):
        count = gpu.get("Count") or gpu.get("LogicalGpuCount") or 0
        return Accelerators(count, gpu["Name"], _gib(gpu["MemoryInfo"]["SizeInMiB"]), gpu["Manufacturer"].lower())
    for chip in (info.get("NeuronInfo") or {}).get("NeuronDevices", []):
        return Accelerators(chip["Count"], chip["Name"], _gib(chip["MemoryInfo"]["SizeInMiB"]), "aws")
    for card in (info.get("InferenceAcceleratorInfo") or {}).get("Accelerators", []):
        return Accelerators(
            card["Count"], card["Name"], _gib(card["MemoryInfo"]["SizeInMiB"]), card["Manufacturer"].lower()
        )
    return Accelerators()


def _bandwidth(network: "NetworkInfoTypeDef") -> Bandwidth:
    """Reads the network bandwidth of a type.

    The cards' own figures are added up, but never to more than the text tells of the whole type, since for some types
    (g6e, m6in) each card repeats the whole's figure; the single card's share shrinks with it. Where cards have no
    figures, the text alone is read: `25 Gigabit` and `4x 100 Gigabit` are baseline and peak; `Up to 10 Gigabit`
    promises nothing, so its baseline is taken as a tenth of the peak (of the accelerated types that have both figures,
    none has less than an eighth).
    """
    told = _told(network.get("NetworkPerformance", ""))
    cards = network.get("NetworkCards") or []
    peaks = [card.get("PeakBandwidthInGbps") or 0.0 for card in cards]
    baselines = {card.get("NetworkCardIndex", 0): card.get("BaselineBandwidthInGbps") or 0.0 for card in cards}
    if not (all(peaks) and all(baselines.values()) and cards):
        return told or Bandwidth(_SLOWEST_GBPS, _SLOWEST_GBPS, _SLOWEST_GBPS)
    baseline, peak = sum(baselines.values()), sum(peaks)
    share = min(1.0, told.peak / peak) if told else 1.0
    first = baselines.get(network.get("DefaultNetworkCardIndex", 0), min(baselines.values()))
    return Bandwidth(*(round(figure * share, 3) for figure in (baseline, peak, first)))


def _told(text: str) -> Bandwidth | None:
    """Reads DescribeInstanceTypes' text of a type's bandwidth, where it has a figure."""
    found = _GIGABITS.search(text)
    if found is None:
        return None
    card = float(found[2])
    peak = int(found[1] or 1) * card
    baseline = peak / 10 if text.startswith("Up to") else peak
    return Bandwidth(baseline, peak, min(card, baseline))


def _gib(mib: float) -> float:
    return round(mib / 1024, 3)


def _describe(region: str) -> list[InstanceType]:
    """Asks EC2 for every instance type of a region."""
    pages = boto3.client("ec2", region_name=region).get_paginator("describe_instance_types").paginate()
    return [read_type(info) for page in pages for info in page["InstanceTypes"]]


def _carried_by_moto() -> tuple[str, list[InstanceType]]:
    """Reads the types that moto carries, in its stand-in for EC2."""
    from moto import mock_aws  # noqa: PLC0415 - a test requirement, needed for this source only

    with mock_aws():
        return f"EC2 DescribeInstanceTypes, as carried by moto {version('moto')}", _describe("us-east-1")


def _asked_of_aws(region: str) -> tuple[str, list[InstanceType]]:
    """Reads the types of a region from the real service."""
    return f"EC2 DescribeInstanceTypes, {region}, {datetime.now(UTC):%Y-%m-%d}", _describe(region)


def render(source: str, types: Iterable[InstanceType]) -> bytes:
    """Renders the catalogue's file: sorted, a line for each type, so that a change reads well in a diff."""
    rows = [msgspec.json.encode(each) for each in sorted(types, key=lambda each: each.name)]
    return b'{"source":%s,\n"types":[\n%s\n]}\n' % (msgspec.json.encode(source), b",\n".join(rows))


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the catalogue's file, and says what it holds."""
    parser = argparse.ArgumentParser(prog="catalogue_build", description="Writes the catalogue of EC2 instance types.")
    parser.add_argument("--aws", metavar="REGION", help="ask the real EC2 in this region, with boto3's credentials")
    parser.add_argument("--output", type=Path, default=TARGET)
    options = parser.parse_args(arguments)
    source, types = _asked_of_aws(options.aws) if options.aws else _carried_by_moto()
    options.output.write_bytes(render(source, types))
    sys.stdout.write(f"{options.output}: {len(types)} instance types from {source}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
