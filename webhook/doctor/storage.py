"""Whether the running fastload may list the models of the pods that ask for it."""

from collections.abc import Iterator

from webhook.doctor.advice import FIXES
from webhook.doctor.facts import Asked, AskedPod, Facts
from webhook.doctor.finding import Check, Finding, Level, Unread, unread

_S3 = "s3://"
_FORBIDDEN = 403


def by_hand(namespace: str, name: str) -> str:
    """Returns how to see it without the API server's proxy."""
    return f"kubectl exec -i -n {namespace} deploy/{name} -- fastload preview -f - <deployment.yaml"


def check_storage(facts: Facts) -> Iterator[Finding]:
    """Tells, model by model, whether it was listed."""
    how = by_hand(facts.place.namespace, facts.place.name)
    match facts.asked:
        case None:
            text = "no pod with a model in S3 asked for fastload yet, so its rights there were not tried"
            yield Finding(Check.S3, Level.SKIPPED, text, f"to try them with a manifest: {how}")
        case Unread(status=status) as fact if status == _FORBIDDEN:
            yield unread(Check.S3, fact)
        case Unread() as fact:
            # A network policy that keeps the API server from the admin port is no fault.
            text = f"not tried: fastload was not reached through the API server ({fact.problem})"
            yield Finding(Check.S3, Level.SKIPPED, text, f"to try it with a manifest: {how}")
        case Asked(pods=pods):
            models = {each.model: each for each in pods if each.model and each.model.startswith(_S3)}
            for model, pod in models.items():
                yield from _model(model, pod)


def _model(model: str, pod: AskedPod) -> Iterator[Finding]:
    if pod.shards:
        yield Finding(Check.S3, Level.OK, f"{model} is listed: {pod.shards.count} shard files")
        return
    why = next((each for each in pod.reasons if each.code in FIXES), None)
    if why:
        yield Finding(Check.S3, Level.PROBLEM, f"{model} is not listed, {why.code}: {why.text}", FIXES[why.code])
