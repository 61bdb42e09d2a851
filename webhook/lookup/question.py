"""What a pod makes us look up. It follows from the pod's facts and the settings, and from nothing that may change."""

import weakref

import msgspec

from webhook.lookup.facts import Shards, Unknown, World
from webhook.lookup.instances import Ask, ask_of
from webhook.lookup.inventory import Inventory
from webhook.lookup.listing import Listing, wanted
from webhook.lookup.settings import LookupSettings
from webhook.pod.facts import PodFacts

_encoder = msgspec.msgpack.Encoder(enc_hook=dict)


class Seen(msgspec.Struct, frozen=True):
    """A world as it was last, and the inventory that its candidates are from."""

    inventory: Inventory
    world: World


class Question(msgspec.Struct, kw_only=True):
    """The listing to be made, or what stands in its place, and what the pod asks of its node."""

    shards: Listing | Shards | Unknown | None
    ask: Ask
    # The ask as a key: two that are equal have the same.
    ask_key: bytes
    # The answer that was given last, to be given again as long as nothing in it changed.
    last: Seen | None = None


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
        question = Question(shards=wanted(facts, self._settings), ask=ask, ask_key=_encoder.encode(ask))
        # The last reference to the facts takes the question along, before other facts can have the same identity.
        forget = weakref.ref(facts, lambda _: self._known.pop(identity, None))
        self._known[identity] = forget, question
        return question
