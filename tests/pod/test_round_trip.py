"""One launch reads the same however it is written: exec form, entry point, or any shell form of it."""

import shlex

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.pod.small_pods import container, facts_of, launch_of, launched
from webhook.pod.facts import Launch

MODELS = ["s3://bucket/model", "S3://Bucket/My Model/", "org/model-8b", "/models/it's here", "gs://b/m"]


@st.composite
def vllm_flags(draw: st.DrawFn) -> list[list[str]]:
    """Groups of words, each one flag with its value in one of its spellings."""
    size = st.integers(1, 64).map(str)
    groups = {
        "load": draw(
            st.sampled_from([[], ["--load-format", "runai_streamer"], ["--load_format=runai_streamer_sharded"]])
        ),
        "tp": draw(
            size.flatmap(lambda n: st.sampled_from([[], ["-tp", n], [f"-tp={n}"], ["--tensor_parallel_size", n]]))
        ),
        "pp": draw(size.flatmap(lambda n: st.sampled_from([[], ["-pp", n], [f"--pipeline-parallel-size={n}"]]))),
        "dp": draw(size.flatmap(lambda n: st.sampled_from([[], ["-dp", n], ["--data-parallel-size", n]]))),
        "eager": draw(st.sampled_from([[], ["--enforce-eager"], ["-O0"], ["-cc.mode=NONE"]])),
        "json": draw(
            st.sampled_from(
                [
                    [],
                    ["--model-loader-extra-config", '{"concurrency": 4, "distributed": true}'],
                    ['--model-loader-extra-config={"memory_limit": -1}'],
                    ["--model-loader-extra-config.concurrency", "4"],
                ]
            )
        ),
        "other": draw(
            st.sampled_from([[], ["--served-model-name", 'it\'s "$HOME"'], ["--port=8000"], ["--limit", "#1; a && b"]])
        ),
    }
    return draw(st.permutations([group for group in groups.values() if group]))


@st.composite
def quoted(draw: st.DrawFn, word: str) -> str:
    """The word as a shell would read it back, in one of several quotings."""
    bare = shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$").replace("`", "\\`")
    half = len(word) // 2
    return draw(
        st.sampled_from([bare, f'"{escaped}"', shlex.quote(word[:half]) + shlex.quote(word[half:]) if half else bare])
    )


@st.composite
def scripts(draw: st.DrawFn, words: list[str]) -> str:
    """A script that launches these words."""
    texts = [draw(quoted(word)) for word in words]
    gap = draw(st.sampled_from([" ", " \\\n  ", "  "]))
    form = draw(st.sampled_from(["line", "variables", "array", "function", "arguments", "strict", "heredoc"]))
    line = gap.join(texts)
    assigned = "\n".join(f"V{at}={text}" for at, text in enumerate(texts))
    used = gap.join(f'"$V{at}"' for at in range(len(texts)))
    return {
        "line": line,
        "variables": f"{assigned}\nexec {used}",
        "array": f'LINE=({gap.join(texts[:3])})\nLINE+=({gap.join(texts[3:])})\n"${{LINE[@]}}" 2>&1 | tee log',
        "function": f'run() {{ exec "$@"; }}\nrun {line}',
        "arguments": f'set -- {line}; cd / && X=1 "$@"',
        "strict": f"#!/bin/bash\nset -euo pipefail\n# the engine\nexport A=1; {line} || exit 1",
        "heredoc": f"cat > /tmp/run.sh <<'END'\n{line}\nEND\nbash /tmp/run.sh",
    }[form]


@given(st.data(), st.sampled_from(MODELS), vllm_flags())
def test_a_launch_reads_the_same_in_every_form(data: st.DataObject, model: str, groups: list[list[str]]) -> None:
    flags = [word for group in groups for word in group]
    words = ["vllm", "serve", model, *flags]
    plain = launched(*words)
    assert plain.model == model
    assert launched("bash", "-c", data.draw(scripts(words))) == plain
    assert launched("sh", "-c", 'exec "$@"', "sh", *words) == plain
    assert launched("vllm", "serve", *flags, "--model", model) == plain
    assert launched("python3", "-m", "vllm.entrypoints.openai.api_server", "--model", model, *flags) == plain
    assert launch_of(facts_of(container(args=["--model", model, *flags]))) == plain


@given(vllm_flags(), vllm_flags())
def test_the_order_of_flags_does_not_matter_to_what_is_compiled(
    first: list[list[str]], second: list[list[str]]
) -> None:
    def read(groups: list[list[str]]) -> Launch:
        return launched("vllm", "serve", "m", *(word for group in groups for word in group))

    if sorted(first) == sorted(second):
        assert read(first) == read(second)
    assert read(first) == read(list(reversed(first)))


def test_a_launch_is_a_value() -> None:
    launch = launched("vllm", "serve", "s3://b/m")
    assert msgspec.json.decode(msgspec.json.encode(launch), type=Launch) == launch
