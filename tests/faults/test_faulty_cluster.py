"""What the API server may do: what hangs on the namespace is left out, and what breaks is followed again."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx
import pytest

from demo.webhook import certificate_flags, running_webhook
from tests.faults.api_server import ApiServer, faulty_api_server
from tests.faults.process import CERTAIN, Json, Process, review_of
from tests.faults.table import CLUSTER, WATCHES, Fault
from tests.serving import eventually, ready
from webhook.server.certificates import Files

_numbers = count()


@pytest.fixture(scope="module")
def api_server() -> Iterator[ApiServer]:
    with faulty_api_server() as server:
        server.namespaces.append("inference")
        yield server


@pytest.fixture(scope="module")
def process(
    api_server: ApiServer,
    files: Files,
    store: str,
    trusting: httpx.Client,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Process]:
    """One process that follows the cluster through every fault of it."""
    folder: Path = tmp_path_factory.mktemp("cluster")
    api_server.write_kubeconfig(folder / "kubeconfig")
    flags = {**certificate_flags(files), "--s3-endpoint": store, "--drain-seconds": "0", "--kubernetes": "on"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", str(folder / "kubeconfig"))
        with running_webhook(flags, folder / "webhook.log") as running:
            eventually(ready(running))
            yield Process(running, trusting)


def in_namespace(name: str) -> Json:
    """The review of a pod in this namespace, which alone says that it wants fastload."""
    sent = review_of("s3://healthy/m/")
    sent["request"]["namespace"] = name
    return sent


def unannotated(name: str) -> Json:
    """The same, of a pod that leaves it to its namespace to ask."""
    sent = in_namespace(name)
    del sent["request"]["object"]["metadata"]["annotations"]
    return sent


@contextmanager
def at_fault(server: ApiServer, answers: str) -> Iterator[None]:
    server.answers = answers
    try:
        yield
    finally:
        server.answers = ""


@pytest.mark.parametrize(("answers", "fault"), CLUSTER.items(), ids=CLUSTER)
def test_a_namespace_that_cannot_be_read_costs_what_hangs_on_it(
    process: Process, api_server: ApiServer, answers: str, fault: Fault
) -> None:
    new = f"new-{next(_numbers)}"
    process.forget_peak()
    peak = process.peak_mib()

    with at_fault(api_server, answers):
        answered = process.ask(in_namespace(new))
        known = process.ask(in_namespace("inference"))

    assert fault.reason in answered.reasons
    assert answered.status == "partial"
    # The pod may be of a namespace that forbids a hostPath, so it gets none; the model is known all the same.
    assert (CERTAIN in answered.env, answered.env["RUNAI_STREAMER_CONCURRENCY"]) == (False, "17")
    assert (known.status, CERTAIN in known.env) == ("injected", True)
    outcome = fault.tells.split('"')[1]
    assert process.metric("fastload_lookup_seconds_count", lookup="namespace", outcome=outcome) > 0
    assert process.metric("fastload_reasons_total", reason=fault.reason or "") > 0
    assert process.peak_mib() - peak < 64


@pytest.mark.parametrize("watches", WATCHES)
def test_a_watch_that_breaks_is_made_anew(process: Process, api_server: ApiServer, watches: str) -> None:
    new = f"new-{next(_numbers)}"
    api_server.end_watches(watches)
    assert process.ask(in_namespace("inference")).status == "injected"

    # A namespace that comes meanwhile, known by a list that is made anew, or once the watch is in order again.
    api_server.namespaces.append(new)
    api_server.end_watches("gone")
    eventually(lambda: process.ask(unannotated(new)).status == "injected")
    api_server.end_watches("")
    assert process.metric("fastload_cluster_heard_timestamp_seconds", resource="namespaces") > 0
