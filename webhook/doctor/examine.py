"""Every check in its order, and what they come to."""

from collections.abc import Callable, Iterator, Sequence

from webhook.doctor.certificate import check_certificate
from webhook.doctor.facts import Facts
from webhook.doctor.finding import Check, Finding, Level, Unread
from webhook.doctor.kubernetes import check_kubernetes
from webhook.doctor.namespaces import check_namespaces
from webhook.doctor.pods import check_pods
from webhook.doctor.review import check_review
from webhook.doctor.rights import check_rights
from webhook.doctor.running import check_deployment, check_service
from webhook.doctor.storage import check_storage
from webhook.doctor.webhooks import check_webhooks, ours
from webhook.doctor.workloads import check_workloads

_CHECKS: tuple[Callable[[Facts], Iterator[Finding]], ...] = (
    check_kubernetes,
    check_webhooks,
    check_certificate,
    check_deployment,
    check_service,
    check_review,
    check_rights,
    check_storage,
    check_namespaces,
    check_workloads,
    check_pods,
)
WELL, ILL, UNSEEN = 0, 1, 2


def examine(facts: Facts) -> list[Finding]:
    """Returns what every check finds, in their order."""
    if _absent(facts):
        text = f"fastload is not installed: it has no webhook, and nothing in namespace {facts.place.namespace}"
        fix = "install it (docs/operating.md), or see that --context leads to the right cluster"
        return [*check_kubernetes(facts), Finding(Check.DEPLOYMENT, Level.PROBLEM, text, fix)]
    return [finding for check in _CHECKS for finding in check(facts)]


def _absent(facts: Facts) -> bool:
    registered = [each for each in (facts.mutating, facts.validating) if isinstance(each, Unread) or ours(each)]
    return not registered and facts.deployment is None and facts.service is None


def status_of(findings: Sequence[Finding]) -> int:
    """Returns the exit status: 1 for a problem, else 2 where something could not be looked at, else 0."""
    levels = {each.level for each in findings}
    if Level.PROBLEM in levels:
        return ILL
    return UNSEEN if Level.UNREAD in levels else WELL
