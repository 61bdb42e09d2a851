"""What S3 may do to a review: every fault costs the pod what hangs on the listing, and nothing else."""

import pytest

from tests.faults.process import CERTAIN, UNCERTAIN, Answered, Process, review_of
from tests.faults.store import HUGE_KEYS, SHARDS
from tests.faults.table import STORE, Fault, Pod
from tests.serving import eventually
from webhook.reasons import Code

# What the process may take on top, whatever is sent: a listing of 100,000 keys takes a tenth of it.
BOUND_MIB = 200


@pytest.mark.parametrize(("bucket", "fault"), STORE.items(), ids=STORE)
def test_a_store_at_fault(shared: Process, bucket: str, fault: Fault) -> None:
    shared.forget_peak()
    before = shared.peak_mib()

    answered = settled(shared, bucket, fault)

    expected = "partial" if fault.pod is Pod.CERTAIN else "injected"
    assert (answered.status, CERTAIN in answered.env) == (expected, True)
    if fault.pod is Pod.CERTAIN:
        assert not UNCERTAIN & answered.env.keys()
    assert shared.ask(review_of("s3://healthy/m/")).env["RUNAI_STREAMER_CONCURRENCY"] == str(SHARDS)
    assert shared.peak_mib() - before < BOUND_MIB
    assert tells(shared, fault)


def settled(shared: Process, bucket: str, fault: Fault) -> Answered:
    """The first answer with the fault's reason; until a listing has come to its end, pods are told that it is slow."""
    answers: list[Answered] = []

    def told() -> bool:
        answers.append(shared.ask(review_of(f"s3://{bucket}/m/")))
        if fault.reason is None:
            return Code.LOOKUP_SLOW not in answers[-1].reasons
        assert answers[-1].reasons & {fault.reason, Code.LOOKUP_SLOW}
        return fault.reason in answers[-1].reasons

    eventually(told)
    return answers[-1]


def tells(shared: Process, fault: Fault) -> bool:
    """Whether the metrics tell of it: how look-ups ended, and the reason."""
    outcome = fault.tells.split('"')[1]
    counted = shared.metric("fastload_lookup_seconds_count", lookup="model", outcome=outcome)
    return counted > 0 and (fault.reason is None or shared.metric("fastload_reasons_total", reason=fault.reason) > 0)


def test_the_huge_prefix_is_read_to_its_end(shared: Process) -> None:
    answered = settled(shared, "huge", STORE["huge"])
    assert f'"shards":{HUGE_KEYS}' in answered.pod["metadata"]["annotations"]["fastload.dev/plan"]
