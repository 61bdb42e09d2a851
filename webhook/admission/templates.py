"""Pods of one template are read and decided once.

A decision is made from the essence of a pod, its namespace, the settings and the world, and from nothing else. A
template is one namespace and one essence, and the settings hold as long as the process. The world comes new with each
review: an answer is given again only in a world equal to its own, so whatever the look-ups learn counts at once.

Templates are found by what their pods are called, and a pod is of the one found if it has its essence. To compare is
much less than to find a pod's own essence, and two templates hardly ever have one name: of those, the last is kept.
"""

from collections import OrderedDict

import msgspec

from webhook.admission.answer import Answer
from webhook.admission.essence import Essence, written
from webhook.admission.review import Object, Request
from webhook.lookup.facts import World
from webhook.pod.facts import PodFacts
from webhook.pod.view import Pod

# Bytes of essence that are remembered. In memory a template takes some ten times its essence (measured).
_LIMIT_BYTES = 4 * 1024**2
# What a pod counts for at least, for a small one takes memory too; so there are no more than a thousand.
_LEAST_BYTES = 4 * 1024
# Pods are a few kB. One that is larger than this would push out many of them, so it is read each time.
_LARGEST_BYTES = 64 * 1024
# Answers are a few kB, too, but one may be many times its pod where that has environment from many sources.
_LARGEST_ANSWER_BYTES = 32 * 1024

_pods = msgspec.json.Decoder(Pod)


class Answered(msgspec.Struct, frozen=True):
    """An answer, and the facts and the world that it was made of."""

    facts: PodFacts
    world: World
    answer: Answer

    def holds_in(self, world: World | None) -> bool:
        """Tells whether the same answer would be made in this world."""
        return self.world is world or self.world == world


class Template:
    """What pods with one essence have in common in one namespace, as far as it was needed yet."""

    def __init__(self, namespace: str, essence: Essence) -> None:
        self.namespace = namespace
        self.essence = essence
        self.pod = _pods.decode(bytes(essence))
        metadata = self.pod.metadata
        # The name, or what the API server makes one from.
        self.name = (metadata.name or metadata.generate_name) if metadata else None
        self.facts: PodFacts | None = None
        self.answered: Answered | None = None

    def remember(self, answered: Answered) -> None:
        """Keeps an answer for the next pod, unless it is unusually large."""
        if answered.answer.size_bytes <= _LARGEST_ANSWER_BYTES:
            self.answered = answered


# A namespace, a pod's name, and what the API server is to make one from, as they are written.
_Called = tuple[str, bytes, bytes]


class Templates:
    """The templates met last, within a limit of memory. It belongs to one event loop and takes no lock."""

    def __init__(self) -> None:
        self._known: OrderedDict[_Called, Template] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._known)

    def of(self, request: Request) -> Template:
        """Returns the template of the request's pod, the same one for each of its pods while it is remembered.

        Raises:
            ValueError: the object is not a pod.
            RecursionError: the object is nested too deeply.
        """
        if request.object is None:
            raise ValueError("an object of a pod's shape is missing")
        called = (request.namespace or "", *_names(request.object))
        pod = written(request.object)
        template = self._known.get(called)
        if template is not None and template.essence.is_of(pod):
            self._known.move_to_end(called)
            return template
        found = Template(called[0], Essence.of(pod))
        if _weight(found) <= _LARGEST_BYTES:
            self._remember(called, found)
        return found

    def _remember(self, called: _Called, template: Template) -> None:
        before = self._known.pop(called, None)
        if before is not None:
            self._bytes -= _weight(before)
        self._known[called] = template
        self._bytes += _weight(template)
        while self._bytes > _LIMIT_BYTES:
            _, oldest = self._known.popitem(last=False)
            self._bytes -= _weight(oldest)


def _names(pod: Object) -> tuple[bytes, bytes]:
    metadata = pod.metadata
    return (bytes(metadata.name or b""), bytes(metadata.generate_name or b"")) if metadata else (b"", b"")


def _weight(template: Template) -> int:
    written_bytes = sum(map(len, template.essence.pieces))
    return max(len(template.namespace) + written_bytes, _LEAST_BYTES)
