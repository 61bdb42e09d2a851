"""What a pod's cold start takes, today and with fastload: a small model, fitted to published loads.

For previews only: a review never computes it. It claims no more than its basis: a range spans all that is not known,
and where nothing is known there is no figure (docs/tuning.md, 'Estimate').
"""

from webhook.lookup.facts import World
from webhook.plan.estimate_layers import Compiling, compiling, node_layers
from webhook.plan.estimate_notes import explain
from webhook.plan.estimate_price import price_of
from webhook.plan.estimate_types import (
    Basis,
    Estimate,
    Layer,
    LayerName,
    Money,
    Note,
    Price,
    Range,
    Saved,
    Scenario,
    ScenarioName,
)
from webhook.plan.estimate_weights import Weights, estimate_weights
from webhook.plan.reading import local_ranks, not_streamed, reading_of
from webhook.plan.settings import PlanSettings
from webhook.plan.subject import Subject
from webhook.plan.types import Plan
from webhook.plan.versions import streamer_version
from webhook.pod.facts import PodFacts

_NOTHING = Range(0, 0)


def estimate(
    facts: PodFacts, world: World, plan: Plan, settings: PlanSettings, *, usd_per_hour: float | None = None
) -> Estimate | None:
    """Estimates the start of a pod that `decide` made this plan for.

    Args:
        facts: What the pod says.
        world: What the look-ups found.
        plan: The decision about this pod.
        settings: The settings that it was made with.
        usd_per_hour: Price of a whole node, in place of the published ones.

    Returns:
        The estimate; None where the pod is left alone as a whole, or neither weights nor compiling can be told.
    """
    if facts.launch is None or facts.container is None or facts.skips:
        return None
    subject = Subject(facts, facts.launch, facts.container, world, settings)
    weights, compiled = _weights(subject, plan), compiling(subject, plan)
    if weights.after is None and compiled.cold.seconds is None:
        return None
    saved = _saved(weights, compiled)
    price = price_of(subject, local_ranks(subject), usd_per_hour)
    unpriced = () if price else (Note.PRICE_UNKNOWN,)
    return Estimate(
        scenarios=(
            _scenario(ScenarioName.TODAY, weights.before, compiled.cold, compiled.cold_start),
            _scenario(ScenarioName.FIRST_POD, weights.after, compiled.cold, compiled.cold_start),
            _scenario(ScenarioName.NEXT_PODS, weights.after, compiled.warm, compiled.warm_start),
        ),
        saved=saved,
        money=_money(saved, price) if price else None,
        notes=explain((*weights.notes, *compiled.notes, *unpriced)),
    )


def _weights(subject: Subject, plan: Plan) -> Weights:
    if not_streamed(subject) is not None:
        return Weights(saved=_NOTHING, notes=(Note.NOT_STREAMED,))
    annotated = subject.facts.annotations.streamer_version
    version = streamer_version(annotated, subject.container.image, subject.settings.streamer_versions)
    return estimate_weights(subject, reading_of(subject), plan, version)


def _scenario(name: ScenarioName, weights: Range | None, compiled: Layer, start: Layer) -> Scenario:
    basis = Basis.UNKNOWN if weights is None else Basis.ESTIMATED
    read = Layer(LayerName.WEIGHTS, None if weights is None else weights.rounded(), basis)
    both = None if weights is None or compiled.seconds is None else (weights + compiled.seconds).rounded()
    return Scenario(name, (*node_layers(name), read, compiled, start), both)


def _saved(weights: Weights, compiled: Compiling) -> Saved:
    """What is saved of weights and compiling; what caches save beyond what was published is not counted."""
    if weights.saved is None:
        return Saved(None, None)
    return Saved(weights.saved.rounded(), (weights.saved + (compiled.saved or _NOTHING)).rounded())


def _money(saved: Saved, price: Price) -> Money:
    return Money(price, _worth(saved.first_pod, price), _worth(saved.next_pods, price))


def _worth(seconds: Range | None, price: Price) -> Range | None:
    hours = None if seconds is None else Range(seconds.low / 3600, seconds.high / 3600)
    return None if hours is None else hours.times(price.usd_per_hour).rounded(4)
