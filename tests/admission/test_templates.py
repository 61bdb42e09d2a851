import json
from collections.abc import Mapping

import msgspec
import pytest
import structlog

from tests.reviews import FIFTY, Json, Ledger, World1, endpoint, patch_of, pod, response, review
from webhook.admission.decision import Outcome
from webhook.admission.review import Request, read_review
from webhook.admission.templates import Templates
from webhook.lookup.facts import Namespace, World
from webhook.patch.operation import Operation
from webhook.pipeline import Pipeline, Tuned
from webhook.plan.settings import PlanSettings
from webhook.pod.facts import PodFacts
from webhook.pod.settings import PodSettings
from webhook.pod.view import Pod

ASKED = pod(inject="true")


class Counted(Pipeline):
    """Counts how often a pod is read, looked up for and decided."""

    def __init__(self, world: World1) -> None:
        super().__init__(PodSettings(), PlanSettings(), world)
        self.reads = self.look_ups = self.plans = 0

    def read(self, pod: Pod, *, namespace: str, ambient: Mapping[str, str] | None = None) -> PodFacts:
        self.reads += 1
        return super().read(pod, namespace=namespace, ambient=ambient)

    def known(self, facts: PodFacts) -> World | None:
        self.look_ups += 1
        return super().known(facts)

    def tune(self, facts: PodFacts, world: World) -> Tuned:
        self.plans += 1
        return super().tune(facts, world)


def concurrency(patch: tuple[Operation, ...]) -> str:
    entries = [entry for operation in patch if operation.path.endswith("/env") for entry in operation.value]
    found: str = next(entry["value"] for entry in entries if entry["name"] == "RUNAI_STREAMER_CONCURRENCY")
    return found


def test_pods_of_one_template_are_decided_once_and_looked_up_for_each_time() -> None:
    tuner, ledger = Counted(World1()), Ledger()
    app = endpoint(tuner=tuner, ledger=ledger)
    with structlog.testing.capture_logs() as logs:
        answers = [response(app, review(ASKED, uid=f"u{number}")) for number in range(3)]
    assert (tuner.reads, tuner.look_ups, tuner.plans) == (1, 3, 1)
    assert [answered.pop("uid") for answered in answers] == ["u0", "u1", "u2"]
    assert answers[0] == answers[1] == answers[2]
    assert [entry.pop("uid") for entry in logs] == ["u0", "u1", "u2"]
    assert logs[0] == logs[1] == logs[2]
    assert [outcome for outcome, _ in ledger.entries] == [Outcome.INJECTED] * 3


def test_what_the_look_ups_learn_counts_at_once_and_back_again() -> None:
    world = World1()
    app = endpoint(world)
    first = response(app, review(ASKED))
    seventeen, world.shards = world.shards, FIFTY
    second = response(app, review(ASKED))
    world.shards = seventeen
    assert (concurrency(patch_of(first)), concurrency(patch_of(second))) == ("17", "50")
    assert response(app, review(ASKED)) == first


def test_a_namespace_that_opts_out_is_heard_at_once() -> None:
    world = World1(namespace=Namespace(name="serving", opted_in=True))
    app = endpoint(world)
    assert "patch" in response(app, review(pod()))
    world.namespace = Namespace(name="serving", opted_in=False)
    assert "patch" not in response(app, review(pod()))


def test_a_namespace_that_opts_out_during_the_look_ups_is_heard() -> None:
    class OptingOut(World1):
        """Its namespace opts out while the pod's look-ups are made, which memory has from then on."""

        def known(self, facts: PodFacts) -> World | None:
            return self._world(facts) if not self.in_memory else None

        async def find(self, facts: PodFacts) -> World:
            self.namespace = Namespace(name="serving", opted_in=False)
            self.in_memory = False
            return await super().find(facts)

    app = endpoint(OptingOut(namespace=Namespace(name="serving", opted_in=True)))
    for _ in range(2):
        assert "patch" not in response(app, review(pod()))


def test_nothing_is_looked_up_for_a_namespace_that_asks_no_more() -> None:
    world, ledger = World1(namespace=Namespace(name="serving", opted_in=True)), Ledger()
    tuner = Counted(world)
    app = endpoint(world, tuner=tuner, ledger=ledger)
    response(app, review(pod()))
    world.namespace = Namespace(name="serving", opted_in=False)
    response(app, review(pod()))
    before = tuner.look_ups
    response(app, review(pod()))
    assert tuner.look_ups == before
    assert [outcome for outcome, _ in ledger.entries] == [Outcome.INJECTED, Outcome.IGNORED, Outcome.IGNORED]


def test_the_same_pod_in_another_namespace_is_another_template() -> None:
    templates = Templates()
    assert templates.of(request(ASKED, "serving")) is not templates.of(request(ASKED, "batch"))
    assert templates.of(request(ASKED, "serving")) is templates.of(request(ASKED, "serving"))


def test_an_answer_that_was_not_made_is_sought_again() -> None:
    class Broken(Counted):
        def tune(self, facts: PodFacts, world: World) -> Tuned:
            tuned = super().tune(facts, world)
            if self.plans == 1:
                raise MemoryError
            return tuned

    app = endpoint(tuner=Broken(World1()))
    assert "patch" not in response(app, review(ASKED))
    assert "patch" in response(app, review(ASKED))


def request(of: Json, namespace: str = "serving") -> Request:
    return read_review(json.dumps(review(of, namespace=namespace)).encode())


def numbered(number: int, padding: int = 0) -> Request:
    of = pod(inject="true")
    of["metadata"]["generateName"] = f"engine-{number}-"
    of["spec"]["nodeName"] = "x" * padding
    return request(of)


@pytest.mark.parametrize("named", [{"name": "engine"}, {"generateName": "engine-"}, {}], ids=str)
def test_of_templates_of_one_name_the_last_is_kept(named: Json) -> None:
    def on(node: str) -> Request:
        of = pod(inject="true")
        of["metadata"] = {"annotations": of["metadata"]["annotations"], **named}
        of["spec"]["nodeName"] = node
        return request(of)

    templates = Templates()
    one, other = templates.of(on("a")), templates.of(on("b"))
    assert [each.pod.spec and each.pod.spec.node_name for each in (one, other)] == ["a", "b"]
    assert templates.of(on("b")) is other
    assert templates.of(on("a")) is not one


def test_templates_of_one_name_push_out_no_other() -> None:
    templates = Templates()
    other = templates.of(request(ASKED))
    for number in range(300):
        templates.of(numbered(1, 40_000 + number))
    assert templates.of(request(ASKED)) is other
    assert len(templates) == 2


@pytest.mark.parametrize(("padding", "most"), [(0, 1024), (40_000, 105)], ids=["small pods", "large pods"])
def test_the_templates_met_last_are_kept_within_the_limit(padding: int, most: int) -> None:
    templates = Templates()
    first, second = templates.of(numbered(0, padding)), templates.of(numbered(1, padding))
    for number in range(2, most + 1):
        templates.of(numbered(number, padding))
        assert templates.of(numbered(0, padding)) is first
    assert most - 5 <= len(templates) <= most
    assert templates.of(numbered(1, padding)) is not second


def test_a_pod_that_would_push_out_many_is_not_kept() -> None:
    templates = Templates()
    kept = templates.of(numbered(0))
    assert templates.of(numbered(1, 100_000)) is not templates.of(numbered(1, 100_000))
    assert templates.of(numbered(0)) is kept
    assert len(templates) == 1


def test_a_namespace_counts_as_well() -> None:
    templates = Templates()
    templates.of(request(ASKED, "n" * 100_000))
    assert len(templates) == 0


@pytest.mark.parametrize(("sources", "plans"), [(2, 1), (30, 2)], ids=["usual", "large"])
def test_an_answer_many_times_its_pod_is_not_kept(sources: int, plans: int) -> None:
    of = pod(inject="true")
    of["spec"]["containers"][0]["envFrom"] = [{"configMapRef": {"name": f"map-{number}"}} for number in range(sources)]
    tuner = Counted(World1())
    app = endpoint(tuner=tuner)
    assert response(app, review(of)) == response(app, review(of))
    assert (tuner.reads, tuner.plans) == (1, plans)


def test_what_is_no_pod_is_not_kept() -> None:
    templates = Templates()
    with pytest.raises(msgspec.ValidationError):
        templates.of(request({"spec": {"containers": 5}}))
    assert len(templates) == 0
