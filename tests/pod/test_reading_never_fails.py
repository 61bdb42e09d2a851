"""Reading never fails, whatever a pod holds."""

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from webhook.pod.facts import PodFacts
from webhook.pod.read import read_pod
from webhook.pod.settings import PodSettings
from webhook.pod.view import Pod

TEXT = st.text(max_size=20) | st.sampled_from(
    [
        *(
            "vllm",
            "serve",
            "s3://b/m",
            "bash",
            "-c",
            "--",
            "python3",
            "-m",
            "sglang.launch_server",
            "--model",
            "--config",
        ),
        *("$(A)", "$$(A)", "-tp", "8", "nvidia.com/gpu", "memory", "64Gi", "env", "exec vllm serve $A", "Memory", "/x"),
    ]
)
ANNOTATION = st.sampled_from(
    [
        *("inject", "model", "engine", "container", "instance-type", "tensor-parallel-size", "streamer-version"),
        *(
            "features",
            "concurrency",
            "chunk-size",
            "memory-limit",
            "cache",
            "cache-path",
            "shards",
            "model-size",
            "status",
        ),
    ]
).map("fastload.dev/{}".format)


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


def fields(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=values)


NUMBER = st.integers(-(2**40), 2**40)
QUANTITY = TEXT | NUMBER | st.floats(allow_nan=False)
PROBE = fields(initialDelaySeconds=maybe(NUMBER), periodSeconds=maybe(NUMBER), failureThreshold=maybe(NUMBER))
REFERENCE = maybe(fields(name=maybe(TEXT)))
CONTAINER = st.fixed_dictionaries(
    {"name": TEXT},
    optional={
        "image": maybe(TEXT),
        "command": maybe(st.lists(TEXT, max_size=5)),
        "args": maybe(st.lists(TEXT, max_size=8)),
        "env": maybe(
            st.lists(
                st.fixed_dictionaries(
                    {"name": TEXT}, optional={"value": maybe(TEXT), "valueFrom": maybe(fields(fieldRef=st.just({})))}
                ),
                max_size=4,
            )
        ),
        "envFrom": maybe(st.lists(fields(prefix=maybe(TEXT), configMapRef=REFERENCE, secretRef=REFERENCE), max_size=2)),
        "resources": maybe(
            fields(
                limits=maybe(st.dictionaries(TEXT, QUANTITY, max_size=3)),
                requests=maybe(st.dictionaries(TEXT, QUANTITY, max_size=3)),
                claims=maybe(st.lists(st.just({"name": "c"}), max_size=1)),
            )
        ),
        "volumeMounts": maybe(st.lists(st.fixed_dictionaries({"name": TEXT, "mountPath": TEXT}), max_size=2)),
        "startupProbe": maybe(PROBE),
        "livenessProbe": maybe(PROBE),
        "securityContext": maybe(fields(runAsUser=maybe(NUMBER), runAsNonRoot=maybe(st.booleans()))),
    },
)
POD = fields(
    metadata=maybe(
        fields(
            name=maybe(TEXT),
            labels=maybe(st.dictionaries(TEXT, maybe(TEXT), max_size=2)),
            annotations=maybe(st.dictionaries(ANNOTATION | TEXT, maybe(TEXT), max_size=4)),
        )
    ),
    spec=maybe(
        fields(
            containers=maybe(st.lists(CONTAINER, max_size=3)),
            initContainers=maybe(st.lists(CONTAINER, max_size=1)),
            volumes=maybe(
                st.lists(
                    st.fixed_dictionaries(
                        {"name": TEXT},
                        optional={"emptyDir": maybe(fields(medium=maybe(TEXT), sizeLimit=maybe(QUANTITY)))},
                    ),
                    max_size=2,
                )
            ),
            nodeSelector=maybe(st.dictionaries(TEXT, maybe(TEXT), max_size=2)),
            tolerations=maybe(st.lists(fields(key=maybe(TEXT)), max_size=1)),
        )
    ),
)


def read(document: dict[str, Any]) -> PodFacts:
    pod = msgspec.convert(document, Pod)
    return read_pod(pod, namespace="n", settings=PodSettings(), ambient={"LWS_GROUP_SIZE": "2"})


@settings(max_examples=300, deadline=None)
@given(POD)
def test_reading_never_fails(document: dict[str, Any]) -> None:
    facts = read(document)
    assert (facts.launch is None) == (facts.container is None)
    assert facts.launch is not None or facts.skips
    # What goes out as JSON has no marks of ours in it.
    text = msgspec.json.encode((facts.launch, facts.skips, facts.container and facts.container.env)).decode()
    given = msgspec.json.encode(document).decode()
    assert all(mark in given or mark not in text for mark in ("\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"))


@settings(max_examples=100, deadline=None)
@given(POD)
def test_null_reads_as_absent(document: dict[str, Any]) -> None:
    def without_null(value: Any) -> Any:  # noqa: ANN401 - any JSON
        match value:
            case dict():
                return {key: without_null(inner) for key, inner in value.items() if inner is not None}
            case list():
                return [without_null(inner) for inner in value]
            case _:
                return value

    with_null, without = read(document), read(without_null(document))
    assert (with_null.launch, with_null.container, with_null.placement) == (
        without.launch,
        without.container,
        without.placement,
    )
    assert (with_null.skips, with_null.annotations) == (without.skips, without.annotations)
