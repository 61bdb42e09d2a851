"""Which namespaces opted in, which only seem to, and what their Pod Security means for the compile cache."""

import re
from collections.abc import Iterator

from webhook.doctor.facts import Facts
from webhook.doctor.finding import Check, Finding, Level, Unread, counted, named, unread
from webhook.doctor.views import Object
from webhook.doctor.webhooks import ours
from webhook.lookup.facts import PodSecurity
from webhook.lookup.stores import NamespaceRules

_ENABLED = "enabled"
# What somebody may have meant by the label's only value.
_MEANT = {"true", "yes", "on", "1", "enable", "enabled", "inject", "injected", "active"}
# A name that begins as fastload's prefix does, with or without its domain.
_LIKE_OURS = re.compile(r"fast-?load([./-].*)?", re.IGNORECASE)


def check_namespaces(facts: Facts) -> Iterator[Finding]:
    """Checks the labels of every namespace."""
    if isinstance(facts.namespaces, Unread):
        yield unread(Check.NAMESPACES, facts.namespaces)
        return
    label = f"{facts.settings.prefix}/inject"
    opted_in = [each for each in facts.namespaces if _labels(each).get(label) == _ENABLED]
    yield from _opted_in(facts, opted_in)
    yield from _pod_security(facts, opted_in)
    for namespace in facts.namespaces:
        yield from _mistake(namespace, label, facts.settings.prefix)


def _opted_in(facts: Facts, opted_in: list[Object]) -> Iterator[Finding]:
    names = [each.metadata.name for each in opted_in]
    if not names:
        text = "no namespace opted in as a whole; pods are tuned where their own annotation asks"
        yield Finding(Check.NAMESPACES, Level.OK, text)
        return
    yield Finding(Check.NAMESPACES, Level.OK, f"{counted(len(names), 'namespace')} opted in: {named(names, 10)}")
    if isinstance(facts.mutating, Unread):
        return
    webhooks = [each for each in ours(facts.mutating) if each.name.startswith("namespaces.")]
    for namespace in opted_in:
        labels = {**_labels(namespace), "kubernetes.io/metadata.name": namespace.metadata.name}
        selectors = [each.namespace_selector for each in webhooks]
        if selectors and not any(each is None or each.admits(labels) for each in selectors):
            text = f"namespace {namespace.metadata.name} opted in, and the webhook is not called for it"
            fix = "take the label off, or the namespace out of webhooks.excludedNamespaces"
            yield Finding(Check.NAMESPACES, Level.WARNING, text, fix)


def _pod_security(facts: Facts, opted_in: list[Object]) -> Iterator[Finding]:
    settings = facts.settings
    try:
        default = PodSecurity(settings.pod_security_default)
    except ValueError:
        default = PodSecurity.PRIVILEGED
    rules = NamespaceRules(prefix=settings.prefix, pod_security=default)
    read = [rules.read(each.metadata.name, _labels(each)) for each in opted_in]
    strict = [f"{each.name} ({each.pod_security})" for each in read if each.pod_security is not PodSecurity.PRIVILEGED]
    if not strict:
        return
    text = f"Pod Security refuses a hostPath in {named(strict, 10)}"
    if settings.cache_claim:
        text += f", so compile caches there lie on claim {settings.cache_claim}"
        yield Finding(Check.NAMESPACES, Level.OK, text)
        return
    text += ", so pods there get no compile cache; streamer and retries are set"
    fix = f"set FASTLOAD_CACHE_CLAIM, or annotate the pods {settings.prefix}/cache: pvc:CLAIM"
    yield Finding(Check.NAMESPACES, Level.WARNING, text, fix)


def _mistake(namespace: Object, label: str, prefix: str) -> Iterator[Finding]:
    name, labels = namespace.metadata.name, _labels(namespace)
    fix = f"kubectl label namespace {name} --overwrite {label}={_ENABLED}"
    value = labels.get(label)
    if value is not None and value != _ENABLED and value.lower() in _MEANT:
        text = f"namespace {name} has the label {label}={value}, which opts nothing in: the value has to be {_ENABLED}"
        yield Finding(Check.NAMESPACES, Level.PROBLEM, text, fix)
    if value == _ENABLED:
        return
    for key, wrong in labels.items():
        if key != label and wrong.lower() in _MEANT and (key.startswith(f"{prefix}/") or _LIKE_OURS.fullmatch(key)):
            text = f"namespace {name} has the label {key}={wrong}, which opts nothing in: the label is {label}"
            yield Finding(Check.NAMESPACES, Level.PROBLEM, text, fix)
    annotated = (namespace.metadata.annotations or {}).get(label, "")
    if annotated.lower() in _MEANT:
        text = f"namespace {name} has {label} as an annotation, which opts nothing in: it has to be a label"
        yield Finding(Check.NAMESPACES, Level.PROBLEM, text, fix)


def _labels(namespace: Object) -> dict[str, str]:
    return namespace.metadata.labels or {}
