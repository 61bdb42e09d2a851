"""The engine's environment: what the plan sets, after everything of the user's."""

from collections.abc import Iterator, Sequence
from typing import Any

from webhook.patch.operation import Operation, extend
from webhook.patch.target import Target
from webhook.plan.types import Setting
from webhook.pod.facts import EnvFromRef

_KEY_REFERENCES = {"ConfigMap": "configMapKeyRef", "Secret": "secretKeyRef"}


def env_operations(target: Target, settings: Sequence[Setting]) -> list[Operation]:
    """Appends each setting, and after it what gives way to the user's ConfigMaps and Secrets."""
    entries = [entry for setting in settings for entry in _entries(setting, target.container.env.hidden)]
    return extend(f"{target.path}/env", target.view.env, entries)


def _entries(setting: Setting, hidden: Sequence[EnvFromRef]) -> Iterator[dict[str, Any]]:
    yield {"name": setting.name, "value": setting.value}
    for source in hidden:
        yield from _guard(setting.name, source)


def _guard(name: str, source: EnvFromRef) -> Iterator[dict[str, Any]]:
    """Yields a second entry of the same name that takes the value of an `envFrom` source, if it has one.

    An `env` entry beats `envFrom`, so ours alone would overrule a name that a ConfigMap or Secret sets. The kubelet
    skips an optional reference to a key that is not there, and lets the later of two entries win: where the user set
    the name, the user's value stays. Nothing has to be read for it, and a later change of the source counts too.
    """
    key = name.removeprefix(source.prefix)
    if source.name and key and name.startswith(source.prefix):
        reference = {"name": source.name, "key": key, "optional": True}
        yield {"name": name, "valueFrom": {_KEY_REFERENCES[source.kind]: reference}}
