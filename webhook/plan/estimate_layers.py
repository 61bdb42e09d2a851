"""The layers beside the weights: published ranges, and what the compile cache changes of them."""

import msgspec

from webhook.plan.estimate_types import Basis, Layer, LayerName, Note, Range, ScenarioName
from webhook.plan.subject import Subject
from webhook.plan.types import HostPathVolume, Plan, Verdict
from webhook.pod.facts import Engine

# Seconds (AWS containers blog, 'Fast model loading for AI inference on Amazon EKS').
_NODE = Range(60, 90)
_DRIVER = Range(0, 180)  # seconds where it is precompiled, else 2 to 3 minutes
_IMAGE = Range(30, 240)  # 30 to 60 s with parallel pull, else 2 to 4 minutes
_THERE = Range(0, 0)
_WARM_COMPILE = Range(4, 6)
_COLD_COMPILE = Range(34, 53)
_COMPILE_BY_MODEL = {"qwen3.6-35b-a3b": Range(53, 53), "llama-4-scout-17b-16e": Range(34, 34)}
_WARM_INITIALISATION = Range(30, 45)
_COLD_INITIALISATION = Range(60, 120)


class Compiling(msgspec.Struct, frozen=True):
    """torch.compile and engine initialisation of this pod in seconds; `cold` without a cache, `warm` with one.

    `saved` is what a next pod saves of torch.compile; None where that is not known.
    """

    cold: Layer
    warm: Layer
    cold_start: Layer
    warm_start: Layer
    saved: Range | None
    notes: tuple[Note, ...] = ()


def node_layers(scenario: ScenarioName) -> tuple[Layer, ...]:
    """Returns the layers that no setting of the pod changes; a next pod finds all three done."""
    there = scenario is ScenarioName.NEXT_PODS
    spans = ((LayerName.NODE, _NODE), (LayerName.DRIVER, _DRIVER), (LayerName.IMAGE, _IMAGE))
    return tuple(Layer(name, _THERE if there else span, Basis.PUBLISHED) for name, span in spans)


def compiling(subject: Subject, plan: Plan) -> Compiling:
    """Returns what the plan makes of torch.compile and of the engine's initialisation."""
    if subject.launch.engine is not Engine.VLLM:
        return _unpublished()
    if subject.launch.eager:
        none = Layer(LayerName.COMPILE, _THERE, Basis.PUBLISHED)
        start = Layer(LayerName.INITIALISATION, None, Basis.UNKNOWN)
        return Compiling(none, none, start, start, _THERE)
    cold, start = _cold(subject), Layer(LayerName.INITIALISATION, _COLD_INITIALISATION, Basis.PUBLISHED)
    notes = () if cold.basis is Basis.PUBLISHED else (Note.COMPILE_OF_ANOTHER_MODEL,)
    if plan.cache is Verdict.KEEP:
        return _kept(cold, notes)
    if plan.cache is Verdict.SKIP or cold.seconds is None:
        return Compiling(cold, cold, start, start, _THERE, notes)
    warm = Layer(LayerName.COMPILE, _WARM_COMPILE, _basis_of_cache(plan))
    saved = Range(cold.seconds.low - _WARM_COMPILE.high, cold.seconds.high - _WARM_COMPILE.low)
    warm_start = Layer(LayerName.INITIALISATION, _WARM_INITIALISATION, _basis_of_cache(plan))
    return Compiling(cold, warm, start, warm_start, saved, notes)


def _unpublished() -> Compiling:
    compile_, start = (Layer(name, None, Basis.UNKNOWN) for name in (LayerName.COMPILE, LayerName.INITIALISATION))
    return Compiling(compile_, compile_, start, start, None, (Note.COMPILE_UNKNOWN,))


def _cold(subject: Subject) -> Layer:
    model = (subject.model or "").lower()
    published = next((span for name, span in _COMPILE_BY_MODEL.items() if name in model), None)
    types = subject.world.candidates.types
    if published is not None and types and all(each.name.startswith("p5") for each in types):
        return Layer(LayerName.COMPILE, published, Basis.PUBLISHED)
    return Layer(LayerName.COMPILE, _COLD_COMPILE, Basis.ESTIMATED)


def _kept(cold: Layer, notes: tuple[Note, ...]) -> Compiling:
    """The user's own cache: warm or cold, today as with fastload."""
    high = (cold.seconds or _COLD_COMPILE).high
    compile_ = Layer(LayerName.COMPILE, Range(_WARM_COMPILE.low, high), Basis.ESTIMATED)
    span = Range(_WARM_INITIALISATION.low, _COLD_INITIALISATION.high)
    start = Layer(LayerName.INITIALISATION, span, Basis.ESTIMATED)
    return Compiling(compile_, compile_, start, start, _THERE, (*notes, Note.CACHE_IS_THE_USERS))


def _basis_of_cache(plan: Plan) -> Basis:
    """Published for a folder of the node; a claim is slower, and nobody published by how much."""
    on_node = plan.volume is not None and isinstance(plan.volume.source, HostPathVolume)
    return Basis.PUBLISHED if on_node else Basis.ESTIMATED
