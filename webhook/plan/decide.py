"""The decision about one pod: each part's rule in turn, put together in a fixed order."""

import msgspec

from webhook.lookup.facts import Unknown, World
from webhook.plan.advice import Streamed, counsel
from webhook.plan.compile_cache import Cache, tune_cache
from webhook.plan.network import Network, network_of
from webhook.plan.reading import Reading, not_streamed, reading_of
from webhook.plan.retry import Retry, tune_retry
from webhook.plan.settings import PlanSettings
from webhook.plan.streamer import leave_streamer, tune_streamer
from webhook.plan.subject import Subject
from webhook.plan.summary import summarise
from webhook.plan.types import Plan, Setting, Status, Verdict
from webhook.plan.versions import streamer_version
from webhook.pod.facts import Feature, PodFacts
from webhook.reasons import Advice, Code, Counsel, Reason, because


class _Weights(msgspec.Struct, frozen=True):
    """What was decided about reading the weights, by the streamer's rule and the retry rule together."""

    streamer: Verdict = Verdict.SKIP
    retry: Verdict = Verdict.SKIP
    settings: tuple[Setting, ...] = ()
    reasons: tuple[Reason, ...] = ()
    streamed: Streamed | None = None
    unknown: bool = False


def decide(facts: PodFacts, world: World, settings: PlanSettings) -> Plan:
    """Decides what to set on this pod, and says why for each thing set, left alone or skipped. Never raises.

    A pod whose launch line is not recognised, or not decidable, is left alone as a whole.
    """
    if facts.launch is None or facts.container is None or facts.skips:
        return _leave_alone(facts, world)
    subject = Subject(facts, facts.launch, facts.container, world, settings)
    weights = _weights(subject)
    cache = _cache(subject)
    chosen = (*weights.settings, *cache.settings)
    advice = (*facts.advice, *counsel(subject, weights.streamed, cache))
    return Plan(
        status=_status(chosen, unknown=weights.unknown or cache.unknown),
        streamer=weights.streamer,
        retry=weights.retry,
        cache=cache.verdict,
        settings=chosen,
        volume=cache.volume,
        reasons=_once(
            (
                *facts.annotations.problems,
                *_given(_unknown_types(subject)),
                *weights.reasons,
                *cache.reasons,
                *_guarded(subject, chosen),
                *_not_applied(subject),
            )
        ),
        advice=_one_of_each(advice),
        summary=summarise(world, chosen, cache.volume),
    )


def _leave_alone(facts: PodFacts, world: World) -> Plan:
    return Plan(
        status=Status.SKIPPED,
        streamer=Verdict.SKIP,
        retry=Verdict.SKIP,
        cache=Verdict.SKIP,
        reasons=_once((*facts.skips, *facts.annotations.problems)),
        advice=_one_of_each(facts.advice),
        summary=summarise(world, (), None),
    )


def _weights(subject: Subject) -> _Weights:
    reason = not_streamed(subject)
    if reason is not None:
        return _Weights(reasons=(reason,))
    reading = reading_of(subject)
    network = network_of(subject, reading.ranks)
    annotations = subject.facts.annotations
    version = streamer_version(
        annotations.streamer_version, subject.container.image, subject.settings.streamer_versions
    )
    left_out = _left_out(subject, Feature.STREAMER)
    streaming = leave_streamer(subject, reading) if left_out else tune_streamer(subject, reading, network)
    no_retry = _left_out(subject, Feature.RETRY) or _not_s3(reading)
    retry = Retry() if no_retry else tune_retry(subject, reading, network, version, streaming.knobs)
    return _Weights(
        streamer=Verdict.SKIP if left_out else Verdict.TUNE,
        retry=Verdict.SKIP if no_retry else Verdict.TUNE,
        settings=(*streaming.settings, *retry.settings),
        reasons=(
            *_given(left_out, None if left_out else _no_shards(subject)),
            *streaming.reasons,
            *_given(no_retry),
            *retry.reasons,
            *_given(_worst_of(subject, network)),
        ),
        streamed=Streamed(reading, network, streaming.wanted_bytes),
        unknown=retry.unknown or (reading.shards is None and not left_out),
    )


def _cache(subject: Subject) -> Cache:
    left_out = _left_out(subject, Feature.CACHE)
    return Cache(Verdict.SKIP, (left_out,)) if left_out else tune_cache(subject)


def _left_out(subject: Subject, feature: Feature) -> Reason | None:
    """Why the operator or the annotations leave this feature out; None where they do not."""
    if feature not in subject.settings.features:
        return because(Code.FEATURE_NOT_OFFERED, feature=feature)
    annotations = subject.facts.annotations
    if feature in annotations.disabled:
        return because(Code.FEATURE_DISABLED, feature=feature)
    if feature in annotations.features:
        return None
    return because(Code.FEATURE_OFF, annotation=subject.annotation("features"), feature=feature)


def _not_s3(reading: Reading) -> Reason | None:
    return None if reading.scheme == "s3" else because(Code.RETRY_NOT_S3, scheme=reading.scheme)


def _no_shards(subject: Subject) -> Reason | None:
    return subject.world.shards.reason if isinstance(subject.world.shards, Unknown) else None


def _worst_of(subject: Subject, network: Network | None) -> Reason | None:
    candidates = subject.world.candidates
    if network is None or len(candidates.types) == 1:
        return None
    count = len(candidates.types)
    return because(Code.WORST_INSTANCE_TYPE, count=count, source=candidates.source, name=network.worst_type)


def _unknown_types(subject: Subject) -> Reason | None:
    candidates = subject.world.candidates
    if not candidates.missing:
        return None
    return because(Code.UNKNOWN_INSTANCE_TYPE, names=", ".join(candidates.missing), source=candidates.source)


def _guarded(subject: Subject, chosen: tuple[Setting, ...]) -> tuple[Reason, ...]:
    hidden = subject.env.hidden
    if not hidden or not chosen:
        return ()
    return (because(Code.ENV_FROM_GUARDED, sources=", ".join(f"{each.kind} {each.name}" for each in hidden)),)


def _not_applied(subject: Subject) -> tuple[Reason, ...]:
    asked = subject.facts.annotations.apply_advice
    if not asked:
        return ()
    annotation = subject.annotation("apply-advice")
    return (because(Code.ADVICE_NOT_APPLIED, annotation=annotation, advice=", ".join(sorted(asked))),)


def _status(settings: tuple[Setting, ...], *, unknown: bool) -> Status:
    if not settings:
        return Status.SKIPPED
    return Status.PARTIAL if unknown else Status.INJECTED


def _given(*reasons: Reason | None) -> tuple[Reason, ...]:
    return tuple(reason for reason in reasons if reason is not None)


def _once(reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    return tuple(dict.fromkeys(reasons))


def _one_of_each(advice: tuple[Counsel, ...]) -> tuple[Counsel, ...]:
    first: dict[Advice, Counsel] = {}
    for piece in advice:
        first.setdefault(piece.code, piece)
    return tuple(first.values())
