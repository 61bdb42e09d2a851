"""Reviews that are none of a workload, and workloads of which nothing can be foretold."""

import asyncio
from typing import NoReturn

import pytest
import structlog

from tests.reviews import Json, Ledger, World1, post, response
from tests.workloads import review_of, template, workload, workloads
from webhook.admission.decision import Outcome
from webhook.admission.endpoint import ReviewEndpoint
from webhook.lookup.facts import World
from webhook.pipeline import Pipeline
from webhook.pod.facts import PodFacts
from webhook.reasons import Code


@pytest.mark.parametrize(
    "request_fields",
    [
        pytest.param({"operation": "DELETE", "object": None}, id="delete"),
        pytest.param({"operation": "CONNECT"}, id="connect"),
        pytest.param({"operation": None}, id="no operation"),
        pytest.param({"subResource": "scale"}, id="a subresource"),
        pytest.param({"kind": {"group": "apps", "version": "v1", "kind": "ReplicaSet"}}, id="another kind"),
        pytest.param({"kind": {"group": "batch.volcano.sh", "version": "v1", "kind": "Job"}}, id="another group"),
        pytest.param({"resource": {"group": "", "version": "v1", "resource": "pods"}}, id="another resource"),
    ],
)
def test_anything_but_a_workload_that_is_written_passes(request_fields: Json) -> None:
    ledger = Ledger()
    fields = {"of": workload("Deployment", template(inject="true")), **request_fields}
    answered = response(workloads(ledger=ledger), review_of(**fields))
    assert "warnings" not in answered
    assert ledger.entries == [(Outcome.IGNORED, (Code.NOT_A_WORKLOAD,))]


@pytest.mark.parametrize(("body", "status"), [(b"{", 400), (b"x" * 4_000_000, 413)], ids=["not a review", "too large"])
def test_what_cannot_be_answered_is_refused_as_for_pods(body: bytes, status: int) -> None:
    ledger = Ledger()
    assert post(workloads(ledger=ledger), body).status_code == status
    assert ledger.entries == [(Outcome.REFUSED, ())]


class Slow(World1):
    """Never answers."""

    def known(self, facts: PodFacts) -> World | None:
        del facts
        return None

    async def find(self, facts: PodFacts) -> NoReturn:
        del facts
        await asyncio.Event().wait()
        raise AssertionError


class Broken(Pipeline):
    def __init__(self) -> None:
        pass

    def read(self, *_: object, **__: object) -> NoReturn:
        raise ValueError("s3cret")


ASKS = workload("Deployment", template(inject="true"))


@pytest.mark.parametrize(
    ("app", "of", "reason"),
    [
        pytest.param(workloads(Slow(), deadline=0.02), ASKS, Code.DEADLINE, id="too late"),
        pytest.param(workloads(tuner=Broken()), ASKS, Code.INTERNAL_ERROR, id="our fault"),
        pytest.param(workloads(), [], Code.UNREADABLE_POD, id="no object"),
        pytest.param(
            workloads(), workload("Deployment", {"spec": {"containers": [1]}}), Code.UNREADABLE_POD, id="no pod"
        ),
    ],
)
def test_a_workload_that_cannot_be_foretold_passes_in_silence_and_is_logged(
    app: ReviewEndpoint, of: object, reason: Code
) -> None:
    with structlog.testing.capture_logs() as logs:
        answered = response(app, review_of(of))
    assert answered["auditAnnotations"] == {"status": "failed-open", "reasons": reason}
    assert "warnings" not in answered
    (entry,) = logs
    assert (entry["event"], entry["namespace"]) in {("reviewed", "serving"), ("review failed open", "serving")}
    assert "s3cret" not in str(entry)
