"""Whether fastload's service account may do what it needs, and nothing that nobody should grant it."""

from collections.abc import Iterator

from webhook.doctor.facts import Facts, Place, Right, Settings
from webhook.doctor.finding import Check, Finding, Level, Unread, named, unread

_LEASES = "coordination.k8s.io"
_WEBHOOKS = "admissionregistration.k8s.io"
_CONSEQUENCES = {
    "namespaces": "opt-in by label and Pod Security are not known",
    "nodes": "instance types are taken from NodePools, else from the pod alone",
    "nodepools": "types that Karpenter would start are not considered",
}
_KEEPING = "the certificate is not kept"
_READS = ("get", "list", "watch")


def needed(place: Place, settings: Settings) -> Iterator[Right]:
    """Yields what the service account has to be allowed, by the settings."""
    for verb in _READS[1:]:
        yield Right(verb=verb, resource="namespaces")
        yield Right(verb=verb, resource="nodes")
        yield Right(verb=verb, resource="nodepools", group="karpenter.sh")
    if not settings.self_managed:
        return
    for verb, name in (("create", ""), ("get", settings.certificate_secret), ("update", settings.certificate_secret)):
        yield Right(verb=verb, resource="secrets", namespace=place.namespace, name=name)
        yield Right(verb=verb, resource="leases", group=_LEASES, namespace=place.namespace, name=name)
    for verb in ("get", "patch"):
        for resource in ("mutatingwebhookconfigurations", "validatingwebhookconfigurations"):
            yield Right(verb=verb, resource=resource, group=_WEBHOOKS, name=place.name)


def unneeded() -> Iterator[Right]:
    """Yields what would make a stolen token of fastload's worth stealing."""
    yield Right(verb="list", resource="secrets")
    yield Right(verb="list", resource="configmaps")
    yield Right(verb="create", resource="pods")
    yield Right(verb="patch", resource="nodes")
    yield Right(verb="create", resource="clusterrolebindings", group="rbac.authorization.k8s.io")


def check_rights(facts: Facts) -> Iterator[Finding]:
    """Checks the answers of the API server on each right."""
    if isinstance(facts.access, Unread):
        yield unread(Check.RIGHTS, facts.access)
        return
    if not facts.access:
        yield Finding(Check.RIGHTS, Level.SKIPPED, "without a Deployment there is no service account to look at")
        return
    lacking = [each.right for each in facts.access if each.needed and not each.allowed]
    excess = [str(each.right) for each in facts.access if not each.needed and each.allowed]
    for resource in dict.fromkeys(right.resource for right in lacking):
        rights = [str(right) for right in lacking if right.resource == resource]
        text = f"the service account may not {named(rights)}: {_CONSEQUENCES.get(resource, _KEEPING)}"
        fix = "install the chart's roles (rbac.create), or bind your own with these rights"
        yield Finding(Check.RIGHTS, Level.PROBLEM, text, fix)
    if excess:
        text = f"the service account may {named(excess, 5)}, which fastload never does"
        yield Finding(Check.RIGHTS, Level.WARNING, text, "find the binding that grants it, and take it back")
    if not lacking and not excess:
        yield Finding(Check.RIGHTS, Level.OK, "the service account may do what it needs, and no more")
