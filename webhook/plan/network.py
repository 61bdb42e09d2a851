"""How much of a node's network the pod may count on, wherever it lands."""

import msgspec

from webhook.lookup.facts import InstanceType
from webhook.plan.subject import Subject
from webhook.pod.facts import UserEnv

_BYTES_PER_GBIT = 1e9 / 8
# Network cards of instances that have several: at least this much each (EC2 user guide), taken where a type's own
# figure is not known.
_CARD_GBPS = 100.0
# What leads the streamer to another endpoint than AWS's own; the last is read by 0.10 and 0.11 (the streamer's source).
_ENDPOINTS = (
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL",
    "RUNAI_STREAMER_OVERRIDE_ENDPOINT_URL",
    "RUNAI_STREAMER_S3_ENDPOINT",
)
_AWS_DOMAINS = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws")


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
    """Returns the pod's share of the worst candidate's network; None where no candidate, or not its speed, is known."""
    types = subject.world.candidates.types
    gpus = subject.facts.placement.gpus or subject.container.gpus or ranks
    shares = [(each.network_baseline_gbps * _fraction(each, gpus), each.name) for each in types]
    share, name = min(shares, default=(0, ""))
    if share <= 0:
        return None
    card = min(_card(each) * _fraction(each, gpus) for each in types)
    return Network(share * _BYTES_PER_GBIT, card * _BYTES_PER_GBIT, name)


def private_endpoint(env: UserEnv) -> str | None:
    """Returns the name that leads to an endpoint that is not known to be AWS's; None where there is none."""
    for name in _ENDPOINTS:
        if name in env and not _is_aws(env.values[name]):
            return name
    return None


def _fraction(instance_type: InstanceType, gpus: int) -> float:
    return min(1.0, gpus / instance_type.gpus) if instance_type.gpus > 0 else 1.0


def _card(instance_type: InstanceType) -> float:
    return min(instance_type.network_baseline_gbps, instance_type.network_card_gbps or _CARD_GBPS)


def _is_aws(url: str | None) -> bool:
    """Whether a URL leads to AWS; an empty one counts as not set, and one that is not known does not."""
    if url == "":
        return True
    host = (url or "").partition("://")[2].partition("/")[0].partition(":")[0]
    return host.lower().endswith(_AWS_DOMAINS)
