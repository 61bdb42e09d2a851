"""A long launch script is followed to its end, and what only looks like one is given up before it takes long."""

import pytest

from tests.patched import facts_of
from webhook.pod.effort import _MOST
from webhook.pod.shell.grammar import parse
from webhook.reasons import Code

LAUNCH = "\nexec vllm serve s3://models/llm --tensor-parallel-size 2\n"
LINES = {
    "exports": 'export NAME_{0}="${{NAME_{0}:-value {0}}}" && echo "$NAME_{0}" | tee /tmp/x{0} || exit 1',
    "branches": 'if [ -n "$A{0}" ]; then for x in $(seq 1 "$A{0}"); do case "$x" in a|b) f;; *) g $x;; esac; done; fi',
    "comments": "# what is done here, for the reader of line {0}",
    "arguments": 'ARGS+=(--served-model-name "name-{0}" --x=\'{{"a": [1, {0}]}}\')  # {0}',
}
HERE = "cat >/tmp/x.py <<EOF\n{0}\nEOF"


def launched(script: str) -> bool:
    facts = facts_of({"spec": {"containers": [{"name": "a", "image": "x", "command": ["bash", "-c", script]}]}})
    return facts.launch is not None and facts.launch.model == "s3://models/llm" and not facts.skips


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_a_launch_at_the_end_of_a_long_script_is_found(line: str) -> None:
    lines = [line.format(number) for number in range(1000)]
    script = "\n".join(lines)[:15_900].rpartition("\n")[0] + LAUNCH
    assert launched(script)


@pytest.mark.parametrize("length", [1_000, 4_000, 15_000])
def test_a_launch_after_a_long_here_document_is_found(length: int) -> None:
    text = "\n".join(f'print("line {number}", os.environ["NAME_{number}"])' for number in range(1000))
    assert launched(HERE.format(text[:length]) + LAUNCH)


NASTY = [")", ")T", "((;", "<<A\n", "<<<", "|", ">&", "a=( ", "[[ a =~ (", '"${', "n?", "@N", "`<\x0e\x1b", "\0"]


@pytest.mark.parametrize("piece", NASTY, ids=ascii)
@pytest.mark.parametrize("length", [1 << 10, 1 << 12, 1 << 14])
def test_no_script_alone_takes_a_whole_pods_worth(piece: str, length: int) -> None:
    parsed = parse((piece * length)[:length])
    assert parsed.cost < _MOST
    assert parsed == parse((piece * length)[:length])


def test_many_that_take_long_are_given_up_together() -> None:
    engine = {"name": "engine", "image": "x", "command": ["bash", "-c", LAUNCH]}
    nasty = [
        {"name": f"n{number}", "image": "x", "command": ["bash", "-c", f"#{number}\n" + ")T" * 2000]}
        for number in range(9)
    ]
    assert facts_of({"spec": {"containers": [engine, *nasty[:1]]}}).launch is not None
    skips = facts_of({"spec": {"containers": [*nasty, engine]}}).skips
    assert {skip.code for skip in skips} == {Code.UNDECIDABLE_SCRIPT}
