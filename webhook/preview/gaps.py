"""What a preview did not know and a flag can say, and what is in a manifest that another tool may change later."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.facts import Unknown
from webhook.plan.types import HostPathVolume, Status
from webhook.preview.contract import Placed
from webhook.preview.notes import Remark, Topic
from webhook.reasons import Code

# Of names in one sentence, and of notes about misspelt types.
_MOST = 3
# How much of a name has to be right, from 0 to 1.
_ALIKE = 0.9


def explain_gaps(placed: Sequence[Placed]) -> Iterator[Remark]:
    """Yields a note for each thing whose want left pods tuned in part, and for each misspelt instance type."""
    partial = [each for each in placed if each.tuned.plan.status is Status.PARTIAL]
    for problem in (_no_shards, _no_network):
        lacking = [(each, told) for each in partial for told in problem(each)]
        if lacking:
            yield _incomplete(lacking[0][0], len(lacking) - 1, lacking[0][1])
    yield from _misspelt(placed)


def explain_folders(applicable: Sequence[Placed]) -> Iterator[Remark]:
    """Yields a note where a manifest names folders of the node, whose path has the namespace in it."""
    kept = [each for each in applicable if each.patch and _on_the_node(each)]
    if kept:
        names = _few(dict.fromkeys(each.tuned.facts.namespace for each in kept))
        yield _remark(
            Topic.NODE_FOLDER,
            f"folders of compile caches are named after the pods' namespace, here {names}; a namespace that kustomize "
            "or another tool sets later does not change them. metadata.namespace says it, else -n (--namespace)",
            kept[0],
        )


def _on_the_node(placed: Placed) -> bool:
    volume = placed.tuned.plan.volume
    return volume is not None and isinstance(volume.source, HostPathVolume)


def _no_shards(placed: Placed) -> Iterator[str]:
    shards = placed.tuned.world.shards
    if isinstance(shards, Unknown):
        prefix = placed.tuned.facts.annotations.prefix
        by = "--shards COUNT and --model-size QUANTITY"
        if shards.reason.code is Code.STORE_NOT_S3:
            by = f"the annotations {prefix}/shards and {prefix}/model-size"
        yield f"{shards.reason.text}. In place of a listing, give {by}"


def _no_network(placed: Placed) -> Iterator[str]:
    if any(reason.code is Code.NETWORK_UNKNOWN for reason in placed.tuned.plan.reasons):
        yield "which instance type the pods get is not known. Give --instance-type TYPE"


def _incomplete(first: Placed, more: int, told: str) -> Remark:
    name = f"{first.source.kind} {first.source.name or '(unnamed)'}"
    who = f"{name} and {more} more pods are" if more > 1 else f"{name} and another pod are" if more else f"{name} is"
    return _remark(Topic.INCOMPLETE, f"{who} tuned in part: {told}", first)


def _misspelt(placed: Sequence[Placed]) -> Iterator[Remark]:
    first = {name: each for each in reversed(placed) for name in each.tuned.world.candidates.missing}
    for name in list(reversed(first))[:_MOST]:
        meant = get_close_matches(name, load_catalogue(), n=1, cutoff=_ALIKE)
        if meant:
            text = f"there is no instance type {name} in fastload's catalogue; did you mean {meant[0]}?"
            yield _remark(Topic.MISSPELT_TYPE, text, first[name])


def _few(names: dict[str, None]) -> str:
    shown, more = ", ".join(list(names)[:_MOST]), len(names) - _MOST
    return f"{shown} and {more} more" if more > 0 else shown


def _remark(code: Topic, text: str, placed: Placed) -> Remark:
    return Remark(code=code, text=text, file=placed.source.file, document=placed.source.document)
