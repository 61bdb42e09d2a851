"""The kubelet's own `$(NAME)` expansion of command, args and env values.

Rules of the Kubernetes expansion design: `$$` is a literal `$`; a reference that does not resolve stays as it is
written; nothing else that follows a `$` has a meaning. A reference that does not resolve here may still do so on the
node (a later webhook, a ConfigMap), so it becomes a hole rather than text.
"""

from collections.abc import Callable, Mapping

from webhook.pod.unknown import outside


def reference(name: str) -> str:
    """A reference as it is written: in a script it is the output of a command."""
    return f"$({name})"


def expand(text: str, values: Mapping[str, str], unresolved: Callable[[str], str] = outside) -> str:
    """Expands the references in a text; those without a value become what `unresolved` makes of the name."""
    if "$" not in text:
        return text
    done: list[str] = []
    at = 0
    while (dollar := text.find("$", at)) >= 0 and dollar + 1 < len(text):
        done.append(text[at:dollar])
        follower = text[dollar + 1]
        close = text.find(")", dollar + 2) if follower == "(" else -1
        if close >= 0:
            name = text[dollar + 2 : close]
            done.append(values[name] if name in values else unresolved(name))
            at = close + 1
        else:
            done.append("$" if follower == "$" else f"${follower}")
            at = dollar + 2
    done.append(text[at:])
    return "".join(done)
