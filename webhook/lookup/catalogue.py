"""The catalogue of EC2 instance types that ships in the package.

It holds every type, not only the accelerated ones: engines run on CPUs as well, and a type that exists without a GPU
must be told from one that the catalogue has never heard of.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

import msgspec

from webhook.lookup.facts import InstanceType


class CatalogueFile(msgspec.Struct, frozen=True):
    """The catalogue as it is stored: where its figures come from, and the types by name."""

    source: str
    types: tuple[InstanceType, ...]


class Catalogue(Mapping[str, InstanceType]):
    """Instance types by name, in order of their names."""

    def __init__(self, types: tuple[InstanceType, ...], source: str = "") -> None:
        self.source = source
        self.types = types
        self._by_name = {each.name: each for each in types}

    def __getitem__(self, name: str) -> InstanceType:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)


@cache
def load_catalogue() -> Catalogue:
    """Reads the package's catalogue, once per process; a few milliseconds."""
    raw = files("webhook.lookup").joinpath("data/instance_types.json").read_bytes()
    stored = msgspec.json.decode(raw, type=CatalogueFile)
    return Catalogue(stored.types, stored.source)
