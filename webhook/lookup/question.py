"""What a pod makes us look up. It follows from the pod's facts and the settings, and from nothing that may change."""

import weakref
from collections.abc import Iterator

import msgspec

from webhook.lookup.facts import Shards, Unknown, World
from webhook.lookup.instances import Ask, ask_of, nodes_named
from webhook.lookup.inventory import Inventory, NodeKind
from webhook.lookup.listing import Listing, wanted
from webhook.lookup.selectors import alternatives
from webhook.lookup.settings import LookupSettings
from webhook.pod.facts import Placement, PodFacts

_encoder = msgspec.msgpack.Encoder(enc_hook=dict)


class Seen(msgspec.Struct, frozen=True):
    """A world as it was last, and what its candidates are from: the inventory, and the kinds of the nodes named."""

    inventory: Inventory
    kinds: tuple[NodeKind | None, ...]
    world: World


class Question(msgspec.Struct, kw_only=True):
    """The listing to be made, or what stands in its place, and what the pod asks of its node."""

    shards: Listing | Shards | Unknown | None
    ask: Ask
    # The ask as a key: two that are equal have the same.
    ask_key: bytes
    # The nodes that the pod names.
    nodes: tuple[str, ...]
    # The answer that was given last, to be given again as long as nothing in it changed.
    last: Seen | None = None


def _nodes_named(placement: Placement) -> Iterator[str]:
    if placement.node_name:
        yield placement.node_name
    for term in alternatives(placement):
        yield from nodes_named(term)


class Questions:
    """The questions of pods, worked out once for facts that come again, as those of a template's pods do.

    They are known by the facts' identity, for facts never change, and are forgotten with them: whoever remembers the
    facts decides how many questions there are.
    """

    def __init__(self, settings: LookupSettings) -> None:
        self._settings = settings
        self._known: dict[int, tuple[weakref.ref[PodFacts], Question]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def of(self, facts: PodFacts) -> Question:
        """Returns what is to be looked up for a pod."""
        identity = id(facts)
        known = self._known.get(identity)
        if known is not None:
            return known[1]
        ask = ask_of(facts)
        question = Question(
            shards=wanted(facts, self._settings),
            ask=ask,
            ask_key=_encoder.encode(ask),
            nodes=tuple(_nodes_named(ask.placement)),
        )
        # The last reference to the facts takes the question along, before other facts can have the same identity.
        forget = weakref.ref(facts, lambda _: self._known.pop(identity, None))
        self._known[identity] = forget, question
        return question
