"""Whether the API server is told to call fastload, for the right pods, and for none that it must not touch."""

from collections.abc import Iterator, Sequence

from webhook.doctor.facts import SYSTEM_NAMESPACES, Facts
from webhook.doctor.finding import Check, Finding, Level, Unread, named, unread
from webhook.doctor.keeping import look_at_the_keeper
from webhook.doctor.views import Webhook, WebhookConfiguration

MUTATE, VALIDATE = "/mutate", "/validate"
_OURS = ".fastload.dev"
_MUTATING = ("pods.fastload.dev", "namespaces.fastload.dev")
# What a review may take beyond its look-ups' deadline, in seconds.
_REST_SECONDS = 1.0
_REINSTALL = "install fastload again (helm upgrade, or make deploy)"


def ours(configurations: Sequence[WebhookConfiguration]) -> list[Webhook]:
    """Returns fastload's webhooks of all there are."""
    return [each for found in configurations for each in found.webhooks or () if each.name.endswith(_OURS)]


def check_webhooks(facts: Facts) -> Iterator[Finding]:
    """Checks both webhook configurations."""
    problems = [*_mutating(facts), *_validating(facts), *_without_bundle(facts)]
    yield from problems
    if not any(each.level in (Level.PROBLEM, Level.UNREAD) for each in problems):
        service = f"{facts.place.namespace}/{facts.place.name}"
        yield Finding(Check.WEBHOOKS, Level.OK, f"the API server is told to call service {service} for pods that ask")


def _mutating(facts: Facts) -> Iterator[Finding]:
    if isinstance(facts.mutating, Unread):
        yield unread(Check.WEBHOOKS, facts.mutating)
        return
    webhooks = ours(facts.mutating)
    missing = [name for name in _MUTATING if name not in {each.name for each in webhooks}]
    if missing:
        what = "no mutating webhook of fastload's is registered" if not webhooks else f"{named(missing)} is missing"
        yield _problem(f"{what}: pods are made untuned", _REINSTALL)
    for webhook in webhooks:
        yield from _one(facts, webhook, MUTATE)


def _validating(facts: Facts) -> Iterator[Finding]:
    if isinstance(facts.validating, Unread):
        yield unread(Check.WEBHOOKS, facts.validating)
        return
    webhooks = ours(facts.validating)
    if not webhooks:
        text = "no webhook for workloads is registered, so nobody is warned who applies one"
        yield Finding(Check.WEBHOOKS, Level.SKIPPED, text)
    for webhook in webhooks:
        yield from _one(facts, webhook, VALIDATE)


def _without_bundle(facts: Facts) -> Iterator[Finding]:
    """Tells once of all webhooks that are told no authority, as they are for one reason."""
    configurations = [each for each in (facts.mutating, facts.validating) if not isinstance(each, Unread)]
    names = [each.name for found in configurations for each in ours(found) if not each.client_config.ca_bundle]
    if not names:
        return
    fix = "with cert-manager, see that its injector runs and the annotation is right; else: " + _REINSTALL
    text = f"no caBundle for {named(names)}, so the API server takes no certificate of fastload's"
    yield _problem(text, look_at_the_keeper(facts) if facts.settings.self_managed else fix)


def _one(facts: Facts, webhook: Webhook, path: str) -> Iterator[Finding]:
    service = webhook.client_config.service
    if service is None:
        url = webhook.client_config.url or "nothing"
        yield _problem(f"{webhook.name} calls {url} instead of fastload's service", _REINSTALL)
    elif service.path != path:
        yield _problem(f"{webhook.name} calls the path {service.path or '/'}, and fastload answers {path}", _REINSTALL)
    if webhook.failure_policy != "Ignore":
        text = f"{webhook.name} has failurePolicy {webhook.failure_policy}: pods are refused while fastload is down"
        yield Finding(Check.WEBHOOKS, Level.WARNING, text, "set it to Ignore, unless an untuned pod is worse than none")
    least = facts.settings.deadline_seconds + _REST_SECONDS
    if webhook.timeout_seconds < least:
        text = f"{webhook.name} gives up after {webhook.timeout_seconds} s, before a review's own {least:g} s are over"
        yield Finding(Check.WEBHOOKS, Level.WARNING, text, f"set its timeoutSeconds to {least:g} or more")
    yield from _selection(facts, webhook)


def _selection(facts: Facts, webhook: Webhook) -> Iterator[Finding]:
    selector = webhook.namespace_selector
    optional = selector.match_labels if selector else None
    sent = [
        name
        for name in (*SYSTEM_NAMESPACES, facts.place.namespace)
        if selector is None or selector.admits({**(optional or {}), "kubernetes.io/metadata.name": name})
    ]
    if sent:
        text = f"{webhook.name} is called for the namespaces {', '.join(sent)}, whose pods keep the cluster going"
        fix = "exclude them by its namespaceSelector (value webhooks.excludedNamespaces)"
        yield Finding(Check.WEBHOOKS, Level.WARNING, text, fix)
    annotation = f"{facts.settings.prefix}/inject"
    conditions = webhook.match_conditions or ()
    if conditions and not any(annotation in each.expression for each in conditions):
        text = f"{webhook.name} does not look for {annotation}, which is what the running fastload goes by"
        yield _problem(text, f"give both the same annotationPrefix: {_REINSTALL}")


def _problem(text: str, fix: str) -> Finding:
    return Finding(Check.WEBHOOKS, Level.PROBLEM, text, fix)
