"""What must hold for any pod in any world, through the whole way that a review takes."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.patched import additions, apply, assert_valid
from tests.pods import pods
from tests.reviews import FIFTY, P5, SEVENTEEN, World1, endpoint, patch_of, response, review
from webhook.lookup.catalogue import load_catalogue
from webhook.lookup.facts import Candidates, Namespace, PodSecurity, Shards, Source, Unknown, World
from webhook.pod.facts import PodFacts
from webhook.reasons import Code, because

Json = dict[str, Any]

UNKNOWN = Unknown(because(Code.LOOKUP_SLOW, subject="the model"))
CATALOGUE = load_catalogue()
MINE = tuple(f"fastload.dev/{name}" for name in ("status", "reasons", "plan"))


class AnyWorld(World1):
    """A world with any answer, an `Unknown` too, to each question."""

    def __init__(self, shards: Shards | Unknown, namespace: Namespace | Unknown, candidates: Candidates) -> None:
        super().__init__(shards, namespace)
        self.candidates = candidates

    def known(self, facts: PodFacts) -> World | None:
        world = super().known(facts)
        assert world
        return World(shards=world.shards, candidates=self.candidates, namespace=world.namespace)


def worlds() -> st.SearchStrategy[AnyWorld]:
    namespaces = st.builds(
        Namespace,
        name=st.just("serving"),
        pod_security=st.sampled_from([PodSecurity.PRIVILEGED, PodSecurity.PRIVILEGED, *PodSecurity]),
    )
    types = st.lists(
        st.sampled_from([P5, *(CATALOGUE[name] for name in ("g5.12xlarge", "g6.xlarge", "p4d.24xlarge"))]), max_size=3
    )
    candidates = st.builds(
        Candidates,
        types=types.map(tuple),
        source=st.sampled_from(Source),
        fargate=st.sampled_from([False, False, False, True]),
    )
    return st.builds(
        AnyWorld, st.sampled_from([SEVENTEEN, FIFTY, UNKNOWN]), namespaces | namespaces | st.just(UNKNOWN), candidates
    )


def annotated(pod: Json) -> Json:
    metadata = pod.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), "fastload.dev/inject": "true"}
    return {**pod, "metadata": {**metadata, "annotations": annotations}}


def without_ours(pod: Json) -> Json:
    annotations = {key: value for key, value in pod["metadata"]["annotations"].items() if key not in MINE}
    return {**pod, "metadata": {**pod["metadata"], "annotations": annotations}}


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(pods().map(annotated), worlds())
def test_the_pod_stays_what_it_was_and_is_valid_and_a_second_review_adds_nothing(pod: Json, world: AnyWorld) -> None:
    app = endpoint(world)
    first = response(app, review(pod))
    assert first["auditAnnotations"]["status"] in {"injected", "partial", "skipped"}
    after = apply(pod, patch_of(first))
    added = list(additions(without_ours(pod), after))
    assert added
    assert all(pointer.startswith(("/metadata/annotations", "/spec/")) for pointer in added)
    assert_valid(after)
    assert patch_of(response(app, review(after))) == ()


class Changing(World1):
    """A world that becomes another one."""

    def __init__(self) -> None:
        super().__init__()
        self.now = World1()

    def known(self, facts: PodFacts) -> World | None:
        return self.now.known(facts)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(pods().map(annotated), min_size=1, max_size=2), st.lists(worlds(), min_size=1, max_size=2), st.data())
def test_what_is_remembered_never_changes_an_answer(some: list[Json], few: list[AnyWorld], data: st.DataObject) -> None:
    world = Changing()
    app = endpoint(world)
    for _ in range(4):
        pod, world.now = data.draw(st.sampled_from(some)), data.draw(st.sampled_from(few))
        assert response(app, review(pod)) == response(endpoint(world.now), review(pod))
