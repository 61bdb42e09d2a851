"""The world without any I/O: what flags and annotations declare, and what a pod's own constraints allow."""

from collections.abc import Mapping

import msgspec

from webhook.lookup.catalogue import Catalogue
from webhook.lookup.facts import Candidates, Shards, Source, Unknown, World
from webhook.lookup.instances import ask_of, candidates
from webhook.lookup.inventory import Inventory
from webhook.lookup.listing import lies_in_s3, wanted
from webhook.lookup.settings import LookupSettings
from webhook.lookup.stores import NamespaceRules
from webhook.pod.facts import PodFacts
from webhook.reasons import Code, because


class Assumed(msgspec.Struct, frozen=True, kw_only=True):
    """What the flags of a preview declare.

    `shards` stand for the listing of every S3 model met, `instance_types` for the annotation of every
    pod that has none, and `namespace_labels` for every namespace's.
    """

    shards: Shards | None = None
    instance_types: tuple[str, ...] = ()
    namespace_labels: Mapping[str, str] = msgspec.field(default_factory=dict)


class OfflineWorld:
    """A `WorldSource` that asks nobody."""

    def __init__(
        self,
        settings: LookupSettings,
        catalogue: Catalogue,
        rules: NamespaceRules,
        assumed: Assumed | None = None,
        inventory: Inventory | None = None,
    ) -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._rules = rules
        self._assumed = assumed or Assumed()
        self._inventory = inventory or Inventory()

    def known(self, facts: PodFacts) -> World:
        """Returns the world as it is declared; never None."""
        return World(
            shards=self._shards(facts),
            candidates=self._candidates(facts),
            namespace=self._rules.read(facts.namespace, self._assumed.namespace_labels),
        )

    async def find(self, facts: PodFacts) -> World:
        """Returns the same as `known`."""
        return self.known(facts)

    def _shards(self, facts: PodFacts) -> Shards | Unknown | None:
        shards = wanted(facts, self._settings)
        if shards is None or isinstance(shards, Shards):
            return shards
        # A flag speaks for a store that nobody may ask, too: no call is made, so no list of allowed stores is needed.
        if self._assumed.shards and lies_in_s3(facts):
            return self._assumed.shards
        return shards if isinstance(shards, Unknown) else Unknown(because(Code.OFFLINE, subject=shards))

    def _candidates(self, facts: PodFacts) -> Candidates:
        ask = ask_of(facts)
        if self._assumed.instance_types and not ask.told:
            names = tuple(name.lower() for name in self._assumed.instance_types)
            ask = msgspec.structs.replace(ask, told=names, told_by=Source.FLAG)
        return candidates(ask, self._catalogue, self._inventory)
