"""How much of a node's network the pod may count on, wherever it lands."""

import msgspec

from webhook.lookup.devices import is_whole
from webhook.lookup.facts import InstanceType
from webhook.plan.subject import Subject

_BYTES_PER_GBIT = 1e9 / 8
# Network cards of instances that have several: at least this much each (EC2 user guide), taken where a type's own
# figure is not known.
_CARD_GBPS = 100.0


class Network(msgspec.Struct, frozen=True):
    """The pod's share of its node's network in bytes/s, by its share of the node's GPUs: baseline, not peak.

    `card` is the same share of the first network card: a pod's traffic may be confined to that one, since the VPC
    CNI gives it an address there (Amazon VPC CNI documentation). The type named is the one with the least.
    """

    share: float
    card: float
    worst_type: str

    @property
    def gbps(self) -> float:
        """The share in Gbit/s."""
        return self.share / _BYTES_PER_GBIT


def network_of(subject: Subject, ranks: int) -> Network | None:
    """Returns the pod's share of the worst candidate's network.

    None where no candidate, or not its speed, is known; or where the pod's share of the node is not (`part_of_a_node`).
    """
    if part_of_a_node(subject):
        return None
    types = subject.world.candidates.types
    gpus = pod_gpus(subject, ranks)
    shares = [(each.network_baseline_gbps * node_fraction(each, gpus), each.name) for each in types]
    share, name = min(shares, default=(0, ""))
    if share <= 0:
        return None
    card = min(_card(each) * node_fraction(each, gpus) for each in types)
    return Network(share * _BYTES_PER_GBIT, card * _BYTES_PER_GBIT, name)


def part_of_a_node(subject: Subject) -> str | None:
    """Returns what the pod asks for that says nothing of its share of a node; None where it asks for whole devices.

    A shared or sliced device goes to nobody knows how many pods, and so does a node whose devices nobody counts.
    """
    resource = subject.container.gpu_resource
    if resource is not None and not is_whole(resource):
        return resource
    return "no GPU" if asks_for_none(subject) else None


def asks_for_none(subject: Subject) -> bool:
    """Whether the pod asks for no device at all."""
    return subject.container.gpus == 0 and subject.facts.placement.gpus == 0


def pod_gpus(subject: Subject, ranks: int) -> int:
    """Returns the GPUs that the pod takes of its node; one for each rank where it does not say."""
    return subject.facts.placement.gpus or subject.container.gpus or ranks


def node_fraction(instance_type: InstanceType, gpus: int) -> float:
    """Returns the share of a node that so many of its GPUs stand for, from 0 to 1."""
    return min(1.0, gpus / instance_type.gpus) if instance_type.gpus > 0 else 1.0


def _card(instance_type: InstanceType) -> float:
    return min(instance_type.network_baseline_gbps, instance_type.network_card_gbps or _CARD_GBPS)
