"""What became of the pods that there are, by the marks that fastload left on them."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from webhook.doctor.advice import FIXES
from webhook.doctor.facts import SYSTEM_NAMESPACES, Facts
from webhook.doctor.finding import Check, Finding, Level, Unread, counted, named, unread
from webhook.doctor.views import Pod
from webhook.lookup.unanswered import UNANSWERED
from webhook.pod.annotations import read_inject
from webhook.reasons import Code, Reason, sentence

_CODES = {code.value: code for code in Code}
_FINISHED = ("Succeeded", "Failed")
# What was not known in time: these make a pod `partial`.
_UNKNOWN = UNANSWERED | {Code.UNKNOWN_MODEL}
# What somebody wrote and fastload did not take, whatever became of the rest.
_MISTAKES = (Code.BAD_ANNOTATION, Code.ANNOTATION_REFUSED)
_MORE = "docs/reasons.md and kubectl fastload preview --cluster say more of each"


def check_pods(facts: Facts) -> Iterator[Finding]:
    """Counts the pods by what became of them, and groups those that lack something by reason."""
    if isinstance(facts.pods, Unread):
        yield unread(Check.PODS, facts.pods)
        return
    prefix = facts.settings.prefix
    away = {*SYSTEM_NAMESPACES, facts.place.namespace}
    pods = [pod for pod in facts.pods if pod.status.phase not in _FINISHED and pod.metadata.namespace not in away]
    marked = [pod for pod in pods if _annotation(pod, prefix, "status")]
    counts = Counter(_annotation(pod, prefix, "status") for pod in marked)
    if marked:
        told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
        yield Finding(Check.PODS, Level.OK, f"{counted(len(marked), 'pod')} reviewed: {told}")
    yield from _reasons(marked, prefix)
    yield from _unmarked(pods, prefix)
    if not marked and not any(read_inject(each.metadata.annotations, prefix) for each in pods):
        fix = f'annotate a pod template {prefix}/inject: "true", or label a namespace {prefix}/inject=enabled'
        yield Finding(Check.PODS, Level.SKIPPED, "no pod asked for fastload yet", fix)


def _reasons(pods: Sequence[Pod], prefix: str) -> Iterator[Finding]:
    grouped: dict[tuple[str, Code], list[str]] = defaultdict(list)
    for pod in pods:
        status = _annotation(pod, prefix, "status")
        for word in dict.fromkeys(_annotation(pod, prefix, "reasons").split(",")):
            code = _CODES.get(word)  # another version of fastload may have other words
            if code and (status == "skipped" or code in _MISTAKES or (status == "partial" and code in _UNKNOWN)):
                grouped[status, code].append(pod.metadata.where)
    for (status, code), names in sorted(grouped.items(), key=lambda each: (each[0][0], -len(each[1]), each[0][1])):
        text = f"{counted(len(names), 'pod')} {status}, {code}: {sentence(code)} ({named(names)})"
        yield Finding(Check.PODS, Level.WARNING, text, FIXES.get(code, _MORE))


def _unmarked(pods: Sequence[Pod], prefix: str) -> Iterator[Finding]:
    """Tells of pods that asked by themselves and were never reviewed, or asked in a way that is not understood."""
    asks = {pod.metadata.where: read_inject(pod.metadata.annotations, prefix) for pod in pods}
    unmarked = [pod.metadata.where for pod in pods if not _annotation(pod, prefix, "status")]
    untouched = [name for name in unmarked if asks[name] is True]
    if untouched:
        text = f"{counted(len(untouched), 'pod')} asked and went untuned ({named(untouched)})"
        fix = "they are older than fastload here, or it did not answer: if it is well now, replace them"
        yield Finding(Check.PODS, Level.WARNING, text, fix)
    for name in unmarked:
        problem = asks[name]
        if isinstance(problem, Reason):
            yield Finding(Check.PODS, Level.PROBLEM, f"pod {name}: {problem.text}", "correct it in the pod's template")


def _annotation(pod: Pod, prefix: str, name: str) -> str:
    return (pod.metadata.annotations or {}).get(f"{prefix}/{name}", "")
