"""What an estimate is made of: a cold start in layers, each a range of seconds with the basis it stands on.

These names are an interface: they stand in the JSON of a preview.
"""

from enum import StrEnum

import msgspec


class Basis(StrEnum):
    """What a figure stands on.

    `published`: read in a publication, for this very case or for any. `estimated`: reckoned by our model, which is
    fitted to published loads. `unknown`: nobody can tell, and there is no figure.
    """

    PUBLISHED = "published"
    ESTIMATED = "estimated"
    UNKNOWN = "unknown"


class LayerName(StrEnum):
    """The six layers of a cold start, in their order."""

    NODE = "node-provisioning"
    DRIVER = "gpu-driver"
    IMAGE = "image-pull"
    WEIGHTS = "weights"
    COMPILE = "torch-compile"
    INITIALISATION = "engine-initialisation"


class ScenarioName(StrEnum):
    """`today`: a new node, and fastload sets nothing. `first-pod`: a new node, with what the plan sets.

    `next-pods`: the same on a node that had such a pod before, so node, driver and image are there either way.
    """

    TODAY = "today"
    FIRST_POD = "first-pod"
    NEXT_PODS = "next-pods"


class Note(StrEnum):
    """Why the estimate is wide, or leaves something out."""

    NOT_STREAMED = "not-streamed"
    SHARDS_UNKNOWN = "shards-unknown"
    NETWORK_UNKNOWN = "network-unknown"
    STORE_UNKNOWN = "store-unknown"
    SETTINGS_UNKNOWN = "settings-unknown"
    MEMORY_SHORT = "memory-short"
    VERSION_UNKNOWN = "version-unknown"
    SEVERAL_TYPES = "several-types"
    FAR_FROM_PUBLISHED = "far-from-published"
    SLOW_REQUESTS = "slow-requests"
    ENV_HIDDEN = "env-hidden"
    COMPILE_OF_ANOTHER_MODEL = "compile-of-another-model"
    COMPILE_UNKNOWN = "compile-unknown"
    CACHE_IS_THE_USERS = "cache-is-the-users"
    PRICE_UNKNOWN = "price-unknown"


class Range(msgspec.Struct, frozen=True):
    """From `low` to `high`, both possible."""

    low: float
    high: float

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.high + other.high)

    def times(self, other: "Range") -> "Range":
        """Returns the range of products; this range may be negative, the other may not."""
        products = [mine * theirs for mine in (self.low, self.high) for theirs in (other.low, other.high)]
        return Range(min(products), max(products))

    def rounded(self, digits: int = 1) -> "Range":
        """Returns the range in figures that do not pretend to more than they know."""
        return Range(round(self.low, digits), round(self.high, digits))


class Layer(msgspec.Struct, frozen=True):
    """One layer of a start; `seconds` is None where the basis is unknown."""

    name: LayerName
    seconds: Range | None
    basis: Basis


class Scenario(msgspec.Struct, frozen=True):
    """A start: its six layers, and `model_start`, weights and torch.compile together, as published figures count.

    `model_start` is None where one of the two is not known.
    """

    name: ScenarioName
    layers: tuple[Layer, ...]
    model_start: Range | None


class Saved(msgspec.Struct, frozen=True):
    """Seconds of the model start that one pod saves against the same pod untouched; None where that is not known."""

    first_pod: Range | None
    next_pods: Range | None


class Price(msgspec.Struct, frozen=True):
    """USD an hour of the pod's share of its node, by its share of the node's GPUs; and who says so."""

    usd_per_hour: Range
    source: str


class Money(msgspec.Struct, frozen=True):
    """USD of instance time that one pod start saves."""

    price: Price
    first_pod: Range | None
    next_pods: Range | None


class Explained(msgspec.Struct, frozen=True):
    """A note, and its sentence."""

    code: Note
    text: str


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a pod's start takes, today and with fastload. Seconds, and USD."""

    scenarios: tuple[Scenario, ...]
    saved: Saved
    money: Money | None
    notes: tuple[Explained, ...]
