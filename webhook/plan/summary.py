"""The one line of JSON that goes into the `plan` annotation, so that a pod explains itself."""

import msgspec

from webhook.lookup.facts import Shards, World
from webhook.plan.cache_names import MOUNT_PATH
from webhook.plan.types import CacheVolume, HostPathVolume, Setting

# Counts up whenever the same pod would get another decision, so that a reader knows which rules made this one.
RULES_VERSION = 2
_MOST_TYPES = 8


class _Summary(msgspec.Struct, omit_defaults=True):
    rules: int
    source: str
    shards: int | None = None
    bytes: int | None = None
    instance_types: list[str] | None = None
    more_instance_types: int = 0
    # Name: its value and the enumerated reason.
    values: dict[str, tuple[str, str]] | None = None
    cache: str | None = None


_ENCODER = msgspec.json.Encoder()


def summarise(world: World, settings: tuple[Setting, ...], volume: CacheVolume | None) -> str:
    """Writes what was known, what was chosen and why; sizes in bytes, at most eight instance types by name.

    The cache's own names all lead into its volume, so the volume stands for them.
    """
    types = world.candidates.types
    shards = world.shards if isinstance(world.shards, Shards) else None
    summary = _Summary(
        rules=RULES_VERSION,
        source=world.candidates.source,
        shards=shards.count if shards else None,
        bytes=shards.total_bytes if shards else None,
        instance_types=[each.name for each in types[:_MOST_TYPES]] or None,
        more_instance_types=max(0, len(types) - _MOST_TYPES),
        values={
            setting.name: (setting.value, setting.reason.code)
            for setting in settings
            if not setting.value.startswith(MOUNT_PATH)
        }
        or None,
        cache=_place(volume) if volume else None,
    )
    return _ENCODER.encode(summary).decode()


def _place(volume: CacheVolume) -> str:
    source = volume.source
    return source.path if isinstance(source, HostPathVolume) else f"pvc:{source.claim}/{source.sub_path}"
