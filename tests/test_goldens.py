"""Whole pods beside what becomes of them: `NAME.yaml` and `NAME.patched.yaml`.

A golden's `# given:` line says what the look-ups know, in the words of `fastload preview`'s flags. After a wanted
change, `pytest tests/test_goldens.py --update-goldens` writes the patched pods anew; read the diff before committing.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from tests.patched import additions, apply, assert_valid
from tests.reviews import World1, endpoint, patch_of, response, review
from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.listing import declared
from webhook.lookup.offline import Assumed, OfflineWorld
from webhook.lookup.settings import LookupSettings
from webhook.lookup.stores import NamespaceRules
from webhook.pipeline import Pipeline
from webhook.plan.settings import PlanSettings
from webhook.pod.quantity import parse_quantity
from webhook.pod.settings import PodSettings
from webhook.pod.view import Pod

Json = dict[str, Any]

FOLDER = Path(__file__).parent / "goldens"
PATCHED = ".patched.yaml"
NAMES = {path.stem for path in FOLDER.glob("*.yaml") if not path.name.endswith(PATCHED)}
_GIVEN = re.compile(r"^# given: (\{.*\})$", re.MULTILINE)


class Golden:
    def __init__(self, name: str) -> None:
        text = (FOLDER / f"{name}.yaml").read_text()
        given = _GIVEN.search(text)
        assert given, f"{name}.yaml has no `# given:` line"
        self.pod: Json = yaml.safe_load(text)
        self.pipeline = pipeline(yaml.safe_load(given[1]))
        self.patched = FOLDER / f"{name}{PATCHED}"

    def expected(self) -> Json:
        patched: Json = yaml.safe_load(self.patched.read_text())
        return patched


def pipeline(given: Json) -> Pipeline:
    shards = declared(given["shards"], parse_quantity(given["model-size"])) if "shards" in given else None
    assumed = Assumed(shards=shards, namespace_labels=given.get("namespace-labels", {}))
    world = OfflineWorld(LookupSettings(), load_catalogue(), NamespaceRules(), assumed)
    return Pipeline(PodSettings(), PlanSettings(), world)


def through_the_pipeline(golden: Golden) -> Json:
    facts = golden.pipeline.read(msgspec.convert(golden.pod, Pod), namespace=golden.pod["metadata"]["namespace"])
    world = golden.pipeline.known(facts)
    assert world
    return apply(golden.pod, golden.pipeline.tune(facts, world).patch)


def through_a_review(golden: Golden) -> Json:
    request = review(golden.pod, namespace=golden.pod["metadata"]["namespace"])
    return apply(golden.pod, patch_of(response(endpoint(World1(), tuner=golden.pipeline), request)))


@pytest.fixture(params=sorted(NAMES))
def golden(request: pytest.FixtureRequest) -> Golden:
    found = Golden(request.param)
    if request.config.getoption("--update-goldens"):
        found.patched.write_text(yaml.safe_dump(through_the_pipeline(found), sort_keys=False, width=120))
    return found


@pytest.mark.parametrize("way", [through_the_pipeline, through_a_review], ids=lambda way: way.__name__)
def test_a_pod_becomes_its_golden_by_either_way(golden: Golden, way: Callable[[Golden], Json]) -> None:
    assert way(golden) == golden.expected()


def test_a_golden_is_the_pod_with_additions_and_is_valid(golden: Golden) -> None:
    assert list(additions(golden.pod, golden.expected()))
    assert_valid(golden.expected())


def test_a_golden_that_comes_in_again_stays_as_it_is(golden: Golden) -> None:
    golden.pod = golden.expected()
    assert through_a_review(golden) == golden.pod


def test_no_golden_is_an_orphan() -> None:
    assert {path.name.removesuffix(PATCHED) for path in FOLDER.glob(f"*{PATCHED}")} == NAMES
