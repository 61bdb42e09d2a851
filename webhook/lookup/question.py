"""What a pod makes us look up. It follows from the pod's facts and the settings, and from nothing that may change."""

from collections import OrderedDict

import msgspec

from webhook.lookup.facts import Shards, Unknown
from webhook.lookup.instances import Ask, ask_of
from webhook.lookup.listing import Listing, wanted
from webhook.lookup.settings import LookupSettings
from webhook.pod.facts import PodFacts

# As many as there are templates in the memory of reviews.
_QUESTIONS = 1_024

_encoder = msgspec.msgpack.Encoder(enc_hook=dict)


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """The listing to be made, or what stands in its place, and what the pod asks of its node."""

    facts: PodFacts
    shards: Listing | Shards | Unknown | None
    ask: Ask
    # The ask as a key: two that are equal have the same.
    ask_key: bytes


class Questions:
    """The questions of pods, worked out once for facts that come again, as those of a template's pods do.

    They are known by the facts' identity: facts never change, and a question that is remembered keeps its facts.
    """

    def __init__(self, settings: LookupSettings) -> None:
        self._settings = settings
        self._known: OrderedDict[int, Question] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def of(self, facts: PodFacts) -> Question:
        """Returns what is to be looked up for a pod."""
        question = self._known.get(id(facts))
        if question is None:
            ask = ask_of(facts)
            shards = wanted(facts, self._settings)
            question = Question(facts=facts, shards=shards, ask=ask, ask_key=_encoder.encode(ask))
            self._known[id(facts)] = question
            if len(self._known) > _QUESTIONS:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(id(facts))
        return question
