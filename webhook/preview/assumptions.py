"""What a preview's caller declares of the world, by flag or by query parameter, read and checked."""

import msgspec

from webhook.lookup.listing import declared
from webhook.lookup.offline import Assumed
from webhook.pod.quantity import parse_quantity


class AssumptionError(Exception):
    """An option that is not understood, or one of two that belong together; the message names it."""


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """The options as they were given, and what stands before an option's name where they were."""

    shards: int | None = None
    model_size: str | None = None
    instance_types: tuple[str, ...] = ()
    namespace_labels: tuple[str, ...] = ()
    mark: str = ""


def read_assumed(given: Given) -> Assumed:
    """Reads the options.

    Raises:
        AssumptionError: an option that is not understood, or one of two that belong together.
    """
    try:
        return _read(given)
    except ValueError as error:
        raise AssumptionError(f"{given.mark}{error}") from None


def _read(given: Given) -> Assumed:
    if (given.shards is None) != (given.model_size is None):
        raise ValueError(f"shards and {given.mark}model-size stand for a listing together; give both")
    shards = None
    if given.shards is not None and given.model_size is not None:
        shards = declared(given.shards, _size(given.model_size))
    return Assumed(
        shards=shards,
        instance_types=_split(given.instance_types),
        namespace_labels=dict(_label(pair) for pair in _split(given.namespace_labels)),
    )


def _size(quantity: str) -> int:
    try:
        size = parse_quantity(quantity)
    except ValueError as error:
        raise ValueError(f"model-size: {error}") from None
    if size <= 0:
        raise ValueError(f"model-size is {quantity!r}; it takes a quantity above zero, such as 67Gi")
    return size


def _label(pair: str) -> tuple[str, str]:
    key, separator, value = pair.partition("=")
    if not key or not separator:
        raise ValueError(f"namespace-labels has {pair!r}; it takes key=value pairs")
    return key, value


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())
