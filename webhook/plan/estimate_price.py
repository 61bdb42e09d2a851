"""What a node costs, as far as it was published: on-demand, USD an hour. A preview's flag wins over it."""

from collections.abc import Iterable

from webhook.lookup.facts import InstanceType
from webhook.plan.estimate_types import Price, Range
from webhook.plan.network import node_fraction, part_of_a_node, pod_gpus
from webhook.plan.subject import Subject

_SOURCE = "AWS containers blog, 'Fast model loading for AI inference on Amazon EKS', September 2026"
_P5 = Range(55, 55)
# Published for 'G family for inference', with no size named: taken for those that spread a model over several GPUs,
# since the small ones cost a fraction of it.
_G_FAMILY = Range(10, 20)
_G_FAMILY_GPUS = 4


def price_of(subject: Subject, ranks: int, given: float | None) -> Price | None:
    """Returns the price of the pod's share of its node, over all types it may land on; None where one is not known."""
    types = subject.world.candidates.types
    if not types or part_of_a_node(subject):
        return None
    gpus = pod_gpus(subject, ranks)
    shares = [_share(each, gpus, given) for each in types]
    known = [share for share in shares if share is not None]
    if len(known) < len(shares):
        return None
    source = _SOURCE if given is None else "the price that was given"
    return Price(_over(known).rounded(2), source)


def _share(instance_type: InstanceType, gpus: int, given: float | None) -> Range | None:
    hourly = _published(instance_type) if given is None else Range(given, given)
    fraction = node_fraction(instance_type, gpus)
    return None if hourly is None else hourly.times(Range(fraction, fraction))


def _published(instance_type: InstanceType) -> Range | None:
    if instance_type.name == "p5.48xlarge":
        return _P5
    return _G_FAMILY if instance_type.name.startswith("g") and instance_type.gpus >= _G_FAMILY_GPUS else None


def _over(ranges: Iterable[Range]) -> Range:
    each = list(ranges)
    return Range(min(one.low for one in each), max(one.high for one in each))
