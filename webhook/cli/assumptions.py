"""What a preview's flags declare of the world, read and checked."""

import msgspec

from webhook.cli.failure import Failure
from webhook.lookup.listing import declared
from webhook.lookup.offline import Assumed
from webhook.pod.quantity import parse_quantity


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """The flags as they were given."""

    shards: int | None
    model_size: str | None
    instance_types: tuple[str, ...]
    namespace_labels: tuple[str, ...]


def read_assumed(given: Given) -> Assumed:
    """Reads the flags.

    Raises:
        Failure: a flag that is not understood, or one of two that belong together.
    """
    if (given.shards is None) != (given.model_size is None):
        raise Failure("--shards and --model-size stand for a listing together; give both")
    return Assumed(
        shards=declared(given.shards, _size(given.model_size)) if given.shards and given.model_size else None,
        instance_types=_split(given.instance_types),
        namespace_labels=dict(_label(pair) for pair in _split(given.namespace_labels)),
    )


def _size(quantity: str) -> int:
    try:
        size = parse_quantity(quantity)
    except ValueError as error:
        raise Failure(f"--model-size: {error}") from None
    if size <= 0:
        raise Failure(f"--model-size is {quantity!r}; it takes a quantity above zero, such as 67Gi")
    return size


def _label(pair: str) -> tuple[str, str]:
    key, separator, value = pair.partition("=")
    if not key or not separator:
        raise Failure(f"--namespace-labels has {pair!r}; it takes key=value pairs")
    return key, value


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())
