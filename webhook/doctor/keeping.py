"""What to do about a certificate or a `caBundle` that fastload writes by itself, and has not written."""

from webhook.doctor.facts import Facts
from webhook.doctor.own_views import Deployment


def look_at_the_keeper(facts: Facts) -> str:
    """Returns where to look: at pods that do not run, else at what they log."""
    where = f"-n {facts.place.namespace}"
    logs = f"kubectl logs {where} deploy/{facts.place.name}"
    deployment = facts.deployment
    if isinstance(deployment, Deployment) and not deployment.status.ready_replicas:
        return f"fastload's pods write it once they run; kubectl describe pods {where} and {logs} say why they do not"
    return f"fastload keeps it by itself: its log says what stands in the way ({logs})"
