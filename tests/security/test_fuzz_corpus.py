"""What the fuzzer runs, without it: its first inputs, those that were worth keeping, and a few of hypothesis's own."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.seeds import CORPUS, seeds
from fuzz.targets import TARGETS

KEPT = sorted(path for path in CORPUS.rglob("*") if path.is_file())
FRAGMENTS = st.sampled_from(
    [
        *(b'{"', b'":', b"[", b"]", b"}", b"null", b"\xff", b"\0", b"\n", b"- ", b"&a ", b"*a", b"<<: ", b"!!binary "),
        *(b"$(", b"${A", b"<<E\n", b"`", b"((", b"vllm serve ", b"s3://models/llm ", b"if ", b"e9", b"Ki", b"-", b"."),
        *(b"cache-path:", b"/mnt/k8s-disks/0/fastload/", b"../", b"cache:pvc:", b"instance-type:", b"---\n"),
        b"apiVersion: v1\nkind: Pod\n",
    ]
)
INPUTS = st.lists(FRAGMENTS | st.binary(max_size=6), max_size=20).map(b"".join)


@pytest.mark.parametrize("target", TARGETS)
def test_what_the_fuzzer_begins_with_holds(target: str) -> None:
    for seed in seeds(target):
        TARGETS[target](seed)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: str(path.relative_to(CORPUS)))
def test_what_was_worth_keeping_holds(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(target=st.sampled_from(sorted(TARGETS)), data=INPUTS)
def test_any_input_holds(target: str, data: bytes) -> None:
    TARGETS[target](data)
