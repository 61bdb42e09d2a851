"""What a workload's pods will get, in a few sentences for whoever applies it.

A sentence holds names, and values that fastload itself chose; never a value of the user's environment.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from webhook.admission.answer import LONGEST_WARNING
from webhook.admission.decision import Outcome
from webhook.admission.unspoken import quiet, values_of
from webhook.lookup.unanswered import UNANSWERED
from webhook.pipeline import Tuned
from webhook.plan.types import CacheVolume, HostPathVolume, Status
from webhook.reasons import Advice, Code, Counsel, Reason

# Of one template.
_MOST_PROBLEMS = 3
_MOST_REASONS = 3
_MOST_ADVICE = 2

# What was left out of pods that are tuned otherwise, and that whoever applies the workload, or the operator, may mend.
# The rest of a plan's reasons says why a value is what it is; the pod's own annotation has them.
_LEFT_OUT = UNANSWERED | {
    Code.FEATURE_DISABLED,
    Code.ANNOTATION_REFUSED,
    Code.ADVICE_NOT_APPLIED,
    Code.NETWORK_UNKNOWN,
    Code.LAUNCH_UNREAD,
    Code.MODEL_UNTOLD,
    Code.LOADER_CONFIG_UNREADABLE,
    Code.MEMORY_SHORT,
    Code.CACHE_MOUNT_TAKEN,
    Code.CACHE_PATH_REFUSED,
    Code.POD_SECURITY,
    Code.FARGATE,
    Code.NO_INSTANCE_STORE,
    Code.NON_ROOT,
    Code.GPU_NOT_FIXED,
}
# Why the names of caches are set: they go with the volume, which is told of as one thing.
_OF_THE_CACHE = frozenset({Code.CACHE_NAME, Code.ASSETS_POD_LOCAL})
# Advice on what may keep a pod from starting, then on what undoes the gain; the rest can wait for the preview.
_STRONGEST = (
    Advice.MEMORY_HEADROOM,
    Advice.STARTUP_PROBE,
    Advice.PER_POD_ENV,
    Advice.CACHE_ON_EMPTY_DIR,
    Advice.CONSOLIDATED_FILE,
    Advice.LOADER_CONFIG,
    Advice.ENFORCE_EAGER,
    Advice.BUCKET_REGION,
)


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What the pods of one template will get, and what is to be said of it."""

    outcome: Outcome
    # All of the decision's, for metrics, audit and log.
    reasons: tuple[Reason, ...] = ()
    container: str = ""
    # What is added to the container, in words; in order.
    gets: tuple[str, ...] = ()
    # Annotations that are not understood.
    problems: tuple[Reason, ...] = ()
    # Why the pods are left alone, or what was left out.
    because: tuple[Reason, ...] = ()
    advice: tuple[Counsel, ...] = ()


def foresee(tuned: Tuned) -> Forecast:
    """Picks what is worth saying of one template's decision."""
    plan, problems = tuned.plan, tuned.facts.annotations.problems
    if not tuned.patch and tuned.facts.annotations.status_present:  # copied from a pod that is tuned already
        return Forecast(outcome=Outcome.UNCHANGED, reasons=plan.reasons)
    skipped = plan.status is Status.SKIPPED
    others = (reason for reason in plan.reasons if reason not in problems)
    values = values_of(tuned.facts.view)
    return Forecast(
        outcome=Outcome(plan.status),
        reasons=plan.reasons,
        container=tuned.facts.container.name if tuned.facts.container else "",
        gets=tuple(_gets(tuned)),
        problems=problems,
        because=tuple(quiet(reason, values) for reason in others if skipped or reason.code in _LEFT_OUT),
        advice=tuple(quiet(each, values) for each in sorted(plan.advice, key=_rank) if each.code in _STRONGEST),
    )


def warnings(forecasts: Sequence[tuple[str, Forecast]]) -> tuple[str, ...]:
    """Writes the warnings, the most important ones first: mistakes, what pods get or why nothing, what would help.

    Args:
        forecasts: Each with the words that tell its template from the workload's others, "" where there are none.
    """
    said = _alike(forecasts)
    sections = (_mistakes, _effects, _omissions, _counsel)
    return tuple(line for section in sections for where, forecast in said for line in section(where, forecast))


def combined(outcomes: Iterable[Outcome]) -> Outcome:
    """Returns one outcome for a workload whose templates may differ."""
    distinct = set(outcomes)
    if len(distinct) > 1:
        distinct -= {Outcome.IGNORED}
    if len(distinct) <= 1:
        return next(iter(distinct), Outcome.IGNORED)
    if distinct & {Outcome.INJECTED, Outcome.PARTIAL}:
        return Outcome.PARTIAL
    return Outcome.FAILED_OPEN if Outcome.FAILED_OPEN in distinct else Outcome.SKIPPED


def _rank(counsel: Counsel) -> int:
    return _STRONGEST.index(counsel.code) if counsel.code in _STRONGEST else len(_STRONGEST)


def _gets(tuned: Tuned) -> Iterator[str]:
    for setting in tuned.plan.settings:
        if setting.reason.code not in _OF_THE_CACHE:
            yield f"{setting.name}={setting.value}"
    if tuned.plan.volume is not None:
        yield f"a compile cache ({_kind(tuned.plan.volume)})"


def _kind(volume: CacheVolume) -> str:
    kind = "hostPath" if isinstance(volume.source, HostPathVolume) else f"claim {volume.source.claim}"
    return f"{kind}, made writable by an init container" if volume.init else kind


def _alike(forecasts: Sequence[tuple[str, Forecast]]) -> list[tuple[str, Forecast]]:
    """Puts templates together of which the same is to be said, so that it is said once."""
    places: dict[Forecast, list[str]] = {}
    for where, forecast in forecasts:
        places.setdefault(msgspec.structs.replace(forecast, reasons=()), []).append(where)
    return [
        (f"{' and '.join(filter(None, where))}: ".removeprefix(": "), forecast) for forecast, where in places.items()
    ]


def _mistakes(where: str, forecast: Forecast) -> Iterator[str]:
    for problem in forecast.problems[:_MOST_PROBLEMS]:
        yield f"{where}{problem.text}"


def _effects(where: str, forecast: Forecast) -> Iterator[str]:
    if forecast.outcome is Outcome.SKIPPED:
        for reason in forecast.because[:_MOST_REASONS]:
            yield f"{where}pods are left as they are ({reason.code}): {reason.text}"
    else:
        yield from _packed(f"{where}container {forecast.container} will ", forecast.gets)


def _omissions(where: str, forecast: Forecast) -> Iterator[str]:
    if forecast.outcome is not Outcome.SKIPPED:
        for reason in forecast.because[:_MOST_REASONS]:
            yield f"{where}left out ({reason.code}): {reason.text}"


def _counsel(where: str, forecast: Forecast) -> Iterator[str]:
    for counsel in forecast.advice[:_MOST_ADVICE]:
        yield f"{where}advice ({counsel.code}): {counsel.text}"


def _packed(start: str, items: Sequence[str]) -> Iterator[str]:
    """Writes a list of things in as few warnings as hold it."""
    line: list[str] = []
    verb = "get"
    for item in items:
        if line and len(start) + len(verb) + 1 + len(_listed([*line, item])) > LONGEST_WARNING:
            yield f"{start}{verb} {_listed(line)}"
            line, verb = [], "also get"
        line.append(item)
    if line:
        yield f"{start}{verb} {_listed(line)}"


def _listed(items: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(items[:-1]), items[-1])))
