"""Accelerators as pods ask for them and as instance types and nodes have them. Pure."""

from collections.abc import Mapping

import msgspec

from webhook.lookup.facts import InstanceType

# A device plugin's resource for whole devices, and whose devices it hands out. Any other resource of a vendor's (a MIG
# slice, a shared GPU, a Neuron core) is a part of one.
_WHOLE = {
    "nvidia.com/gpu": "nvidia",
    "amd.com/gpu": "amd",
    "aws.amazon.com/neuron": "aws",
    "aws.amazon.com/neurondevice": "aws",
    "habana.ai/gaudi": "habana",
}
_MAKERS = {"nvidia.com": "nvidia", "amd.com": "amd", "aws.amazon.com": "aws", "habana.ai": "habana"}


def is_whole(resource: str) -> bool:
    """Tells whether a resource stands for whole devices, of which an instance type has a known number."""
    return resource in _WHOLE


class Demand(msgspec.Struct, frozen=True):
    """How many accelerators are asked for, and by which extended resource; NVIDIA's GPUs where no resource says."""

    count: int = 1
    resource: str | None = None

    def met_by_type(self, kind: InstanceType) -> bool:
        """Tells whether an instance type has the accelerators."""
        if not self.count:
            return True
        if self.resource is None or self.resource in _WHOLE:
            return kind.accelerator == _WHOLE[self.resource or "nvidia.com/gpu"] and kind.gpus >= self.count
        return kind.accelerator == _MAKERS.get(self.resource.partition("/")[0]) and kind.gpus >= 1

    def offered_by(self, devices: Mapping[str, int]) -> int:
        """Returns how many of the devices asked for a node can allocate; of any kind where no resource says."""
        return devices.get(self.resource, 0) if self.resource else max(devices.values(), default=0)
