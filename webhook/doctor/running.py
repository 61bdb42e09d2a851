"""Whether fastload runs, and the Service leads to it."""

from collections.abc import Iterator

from webhook import __version__
from webhook.doctor.facts import Facts
from webhook.doctor.finding import Check, Finding, Level, Unread, counted, unread
from webhook.doctor.own_views import Deployment
from webhook.doctor.views import Pod
from webhook.doctor.webhooks import ours

_PLACEHOLDER = "registry.example/"


def check_deployment(facts: Facts) -> Iterator[Finding]:
    """Checks that as many replicas answer as there should be, and what they run."""
    deployment, place = facts.deployment, facts.place
    if isinstance(deployment, Unread):
        yield unread(Check.DEPLOYMENT, deployment)
        return
    if deployment is None:
        text = f"there is no Deployment {place.name} in namespace {place.namespace}"
        yield Finding(Check.DEPLOYMENT, Level.PROBLEM, text, "install fastload, or name its namespace with -n")
        return
    container = facts.container
    image = container.image if container else "no image"
    if image.startswith(_PLACEHOLDER):
        text = f"the image is the placeholder {image}, which no node can pull"
        yield Finding(Check.DEPLOYMENT, Level.PROBLEM, text, "build one (make image) and install with it")
    yield from _replicas(facts, deployment, image)
    version = (deployment.metadata.labels or {}).get("app.kubernetes.io/version")
    if version and version != __version__:
        text = f"it was installed as version {version}, and this command is {__version__}"
        yield Finding(Check.DEPLOYMENT, Level.WARNING, text, "use the command of the same version, or upgrade fastload")


def _replicas(facts: Facts, deployment: Deployment, image: str) -> Iterator[Finding]:
    wanted, ready = deployment.spec.replicas, deployment.status.ready_replicas
    where = f"-n {facts.place.namespace}"
    if ready >= wanted > 0:
        yield Finding(Check.DEPLOYMENT, Level.OK, f"{ready} of {counted(wanted, 'replica')} ready, with {image}")
        if wanted == 1:
            text = "with one replica, pods go untuned whenever it is replaced"
            yield Finding(Check.DEPLOYMENT, Level.WARNING, text, "set replicas to 2 or more")
        return
    why = "" if isinstance(facts.own_pods, Unread) else _waiting(facts.own_pods)
    level = Level.WARNING if ready else Level.PROBLEM
    text = f"{ready} of {counted(wanted, 'replica')} ready{why}"
    fix = f"kubectl describe pods {where} and kubectl logs {where} deploy/{facts.place.name} say why"
    yield Finding(Check.DEPLOYMENT, level, text, fix if wanted else "scale it up: it was scaled to none")


def _waiting(pods: tuple[Pod, ...]) -> str:
    statuses = [status for pod in pods for status in pod.status.container_statuses or () if not status.ready]
    reasons = {each.state.waiting.reason for each in statuses if each.state.waiting and each.state.waiting.reason}
    pending = sum(pod.status.phase == "Pending" and not pod.status.container_statuses for pod in pods)
    told = [*sorted(reasons), *([f"{counted(pending, 'pod')} without a node"] if pending else [])]
    return f" ({', '.join(told)})" if told else ""


def check_service(facts: Facts) -> Iterator[Finding]:
    """Checks that the Service which the webhooks name is there, has their port, and leads to a pod."""
    service, place = facts.service, facts.place
    if isinstance(service, Unread):
        yield unread(Check.SERVICE, service)
        return
    if service is None:
        text = f"there is no Service {place.name} in namespace {place.namespace}, which is what the API server calls"
        yield Finding(Check.SERVICE, Level.PROBLEM, text, "install fastload again")
        return
    ports = {each.port for each in service.spec.ports or ()}
    called = _called_ports(facts)
    if called - ports:
        text = f"the webhooks call port {', '.join(map(str, sorted(called - ports)))}, which the Service does not have"
        yield Finding(Check.SERVICE, Level.PROBLEM, text, "install fastload again, with one service.port for both")
    if isinstance(facts.slices, Unread):
        yield unread(Check.SERVICE, facts.slices)
        return
    endpoints = [each for found in facts.slices for each in found.endpoints or ()]
    ready = sum(each.conditions.ready is not False for each in endpoints)
    if ready:
        yield Finding(Check.SERVICE, Level.OK, f"it leads to {counted(ready, 'pod')}")
        return
    selector = ",".join(f"{key}={value}" for key, value in sorted((service.spec.selector or {}).items()))
    text = f"the Service {place.name} has no ready endpoint: the API server reaches nobody, and pods are made untuned"
    fix = (
        f"see which pods it selects, and whether they are ready: kubectl get pods -n {place.namespace} -l '{selector}'"
    )
    yield Finding(Check.SERVICE, Level.PROBLEM, text, fix)


def _called_ports(facts: Facts) -> set[int]:
    configurations = [each for each in (facts.mutating, facts.validating) if not isinstance(each, Unread)]
    services = [webhook.client_config.service for each in configurations for webhook in ours(each)]
    return {each.port or 443 for each in services if each}
