"""The kubelet's own `$(NAME)` expansion of command, args and env values.

Rules of the Kubernetes expansion design: `$$` is a literal `$`; a reference that does not resolve stays as it is
written; nothing else that follows a `$` has a meaning. A reference that does not resolve here may still do so on the
node (a later webhook, a ConfigMap), so it becomes a hole rather than text.

References to references can double a text with every step. What grows beyond any launch line becomes a hole too, and so
does all that refers to anything once the texts of one container have grown beyond it together.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from webhook.pod.unknown import outside

# By how many characters references may make one text longer (the kernel takes no word or variable over 128 KiB), and
# all texts of a container together.
_ROOM = 1 << 16
_ROOM_FOR_ALL = 1 << 18


def reference(name: str) -> str:
    """A reference as it is written: in a script it is the output of a command."""
    return f"$({name})"


def expand_each(
    texts: Iterable[str], values: Mapping[str, str], unresolved: Callable[[str], str] = outside
) -> Iterator[str]:
    """Expands one text after another, so that `values` may change in between."""
    room = _ROOM_FOR_ALL
    for text in texts:
        expanded = expand(text, values, unresolved, room=min(room, _ROOM))
        room -= max(0, len(expanded) - len(text))
        yield expanded


def expand(
    text: str, values: Mapping[str, str], unresolved: Callable[[str], str] = outside, *, room: int = _ROOM
) -> str:
    """Expands the references in a text; those without a value become what `unresolved` makes of the name.

    A text that would grow by more than `room` characters is one hole.
    """
    if "$" not in text:
        return text
    done: list[str] = []
    at, length, last = 0, 0, text.rfind(")")
    while (dollar := text.find("$", at)) >= 0 and dollar + 1 < len(text):
        follower = text[dollar + 1]
        if follower == "(" and last > dollar:
            close = text.index(")", dollar)
            name = text[dollar + 2 : close]
            piece = values[name] if name in values else unresolved(name)
            end = close + 1
        else:
            piece = "$" if follower == "$" else f"${follower}"
            end = dollar + 2
        done += (text[at:dollar], piece)
        at, length = end, length + dollar - at + len(piece)
        if length > len(text) + room:
            return outside("a text too long to follow")
    done.append(text[at:])
    return "".join(done)
