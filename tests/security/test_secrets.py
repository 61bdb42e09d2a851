"""No value of a pod's environment leaves the pod: not in logs, warnings, audit annotations, messages or metrics."""

import io
import json
import logging
from typing import Any
from unittest.mock import patch

import structlog
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from prometheus_client import generate_latest

from tests.pods import pods
from tests.reviews import review
from tests.security.scenes import answer_to
from webhook.lookup.facts import Shards, Unknown
from webhook.lookup.listing import Listing
from webhook.lookup.settings import LookupSettings
from webhook.reasons import Code, because
from webhook.server.metrics import Metrics

Json = dict[str, Any]

CANARY = "c4n4ry-0f-4-s3cr3t"
# How a value may stand in a variable, and how a pod's words may make use of it.
VALUES = st.sampled_from(
    [
        CANARY,
        f"http://{CANARY}.corp:9000/x",
        f"https://user:{CANARY}@minio",
        f"s3://{CANARY}/llm",
        f"vllm serve s3://{CANARY}/llm",
        f"x $(cat {CANARY})",
        f'{{"{CANARY}": 1}}',
        f"/{CANARY}.sh",
        f"vllm $({CANARY}",
        f"--tensor-parallel-size {CANARY}",
    ]
)
NAMES = st.sampled_from(
    [
        *(
            "B",
            "HF_TOKEN",
            "AWS_ENDPOINT_URL",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_REGION",
            "VLLM_CACHE_ROOT",
            "HF_HOME",
            "PATH",
        ),
        *("RUNAI_STREAMER_CONCURRENCY", "RUNAI_STREAMER_MEMORY_LIMIT", "XDG_CACHE_HOME", "TRITON_CACHE_DIR"),
    ]
)
FLAGS = ("-tp", "--load-format", "--config", "--model-loader-extra-config", "--compilation-config", "--$(B)")
SCRIPTS = (
    *("vllm serve s3://$B/llm", 'eval "$B"', ". $B; vllm serve x", "$B vllm serve s3://models/llm", "exec $B"),
    *("vllm serve ${B#s3://} -tp ${B%x}", "vllm serve $B -tp $((B))", 'vllm serve "${B}', "cd $B && vllm serve ./m"),
    *("ulimit -n $B; vllm serve s3://models/llm", "echo $B > /x; . /x", "case $B in a) vllm serve s3://b/m;; esac"),
)
WORDS = st.sampled_from(
    [
        *(["vllm", "serve", model] for model in ("s3://$(B)/llm", "$(B)", "--model=$(B)/llm")),
        *(["vllm", "serve", "s3://models/llm", flag, "$(B)"] for flag in FLAGS),
        *(["sh", "-c", script] for script in SCRIPTS),
    ]
)


@st.composite
def seeded(draw: st.DrawFn) -> Json:
    """A pod with the canary in its environment, which its words may use."""
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    entries = [{"name": name, "value": draw(VALUES)} for name in {"B": None, **dict.fromkeys(names)}]
    pod = draw(pods())
    first, *others = pod["spec"]["containers"]
    first = {**first, "command": draw(WORDS), "args": None, "env": entries}
    return {**pod, "spec": {**pod["spec"], "containers": [first, *others]}, "metadata": {
        "generateName": "llm-", "annotations": {"fastload.dev/inject": "true"}}}  # fmt: skip


async def never(listing: Listing) -> Shards | Unknown:
    """A store that says no to every model, by its name."""
    return Unknown(because(Code.NO_SUCH_BUCKET, bucket=listing.location.bucket, uri=listing, problem="NoSuchBucket"))


async def broken(listing: Listing) -> Shards | Unknown:
    """A store whose client breaks, and says over what."""
    raise RuntimeError(str(listing.route))


def running(*words: str, value: str) -> Json:
    """A pod that runs these words, with the value in the variable `B`."""
    container = {"name": "engine", "command": words, "env": [{"name": "B", "value": value}]}
    return {
        "metadata": {"generateName": "llm-", "annotations": {"fastload.dev/inject": "true"}},
        "spec": {"containers": [container]},
    }


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The kubelet's own expansion leaves a hole in the file's name, and a listing ends its folder with a slash.
@example(running("vllm", "serve", "--config", "$(B)", value=f"x $(cat {CANARY})"), broken, LookupSettings())
@example(running("sh", "-c", 'eval "$B"', value=f"vllm serve s3://{CANARY}/llm"), broken, LookupSettings())
@given(
    pod=seeded(),
    store=st.sampled_from([never, broken]),
    lookup=st.sampled_from([LookupSettings(), LookupSettings(allowed_buckets=())]),
)
def test_no_value_of_the_environment_leaves_the_pod(pod: Json, store: Any, lookup: LookupSettings) -> None:  # noqa: ANN401
    assert CANARY in json.dumps(review(pod))
    metrics, written = Metrics(), io.StringIO()
    handler = logging.StreamHandler(written)
    logging.getLogger().addHandler(handler)
    try:
        with structlog.testing.capture_logs() as lines, patch("sys.stderr", written):
            response = answer_to(pod, store=store, lookup=lookup, observer=metrics.reviews)
    finally:
        logging.getLogger().removeHandler(handler)
    assert lines
    said = {key: value for key, value in response.items() if key != "patch"}
    for where in (json.dumps(said), repr(lines), written.getvalue(), generate_latest(metrics.registry).decode()):
        assert CANARY not in where
