"""Flags read as argparse reads them."""

import argparse
from typing import Any

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from webhook.pod.commandline import Arity, CommandLine, Grammar, options_of, read_command_line
from webhook.pod.engines.sglang_options import SGLANG
from webhook.pod.engines.vllm_options import VLLM

SMALL = Grammar(
    dotted=False,
    options={
        **options_of(Arity.ONE, "--tensor-parallel-size/-tp --load-format --port --quantization/-q --temperature"),
        **options_of(Arity.MANY, "--lora-modules"),
        **options_of(Arity.OPTIONAL, "--hf-token"),
        **options_of(Arity.NONE, "--enforce-eager --enable-lora", negatable=True),
    },
)


def reference() -> argparse.ArgumentParser:
    """The same flags as a parser of the standard library."""
    parser = argparse.ArgumentParser(exit_on_error=False, add_help=False)
    parser.add_argument("--tensor-parallel-size", "-tp")
    parser.add_argument("--load-format")
    parser.add_argument("--port")
    parser.add_argument("--quantization", "-q")
    parser.add_argument("--temperature")
    parser.add_argument("--lora-modules", nargs="+")
    parser.add_argument("--hf-token", nargs="?")
    parser.add_argument("--enforce-eager", action=argparse.BooleanOptionalAction)
    parser.add_argument("--enable-lora", action=argparse.BooleanOptionalAction)
    return parser


VALUE = st.sampled_from(["4", "-1", "-0.5", "a b", "s3://b/m", '{"a": -1}', "x=y", "", "-"])
WORDS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["--tensor-parallel-size", "-tp", "--load-f", "--port", "-q", "--temp"]), VALUE),
        st.tuples(
            st.sampled_from(["--tensor-parallel-size", "-tp", "--load-format", "--por", "-q"]),
            VALUE,
        ).map(lambda pair: (f"{pair[0]}={pair[1]}",)),
        st.sampled_from([("--enforce-eager",), ("--no-enforce-eager",), ("--enable-l",), ("-q8",), ("-qa=b",)]),
        st.tuples(st.just("--lora-modules"), st.sampled_from(["a=1", "b"]), st.sampled_from(["c", "-3"])),
        st.tuples(st.just("--hf-token"), st.sampled_from(["t", "--enforce-eager"])),
    ),
    max_size=6,
).map(lambda groups: [word for group in groups for word in group])


@given(WORDS)
def test_a_line_reads_as_argparse_reads_it(words: list[str]) -> None:
    try:
        namespace, rest = reference().parse_known_args(words)
    except (argparse.ArgumentError, SystemExit):
        reject()
    assume(not rest)
    line = read_command_line(words, SMALL)
    expected: dict[str, Any] = {}
    for name, value in vars(namespace).items():
        if value is not None:
            expected[f"--{name.replace('_', '-')}"] = tuple(value) if isinstance(value, list) else value
    assert {name: value for name, value in line.given.items() if value is not None} == expected
    assert line.positionals == []


def vllm(*words: str) -> CommandLine:
    return read_command_line(words, VLLM)


@pytest.mark.parametrize(
    ("words", "flag", "value"),
    [
        (["--tensor-parallel-size", "4"], "--tensor-parallel-size", "4"),
        (["--tensor_parallel_size=4"], "--tensor-parallel-size", "4"),
        (["-tp=4"], "--tensor-parallel-size", "4"),
        (["-tp", "4"], "--tensor-parallel-size", "4"),
        (["--tensor-p", "4"], "--tensor-parallel-size", "4"),
        (["-tp", "2", "--tensor-parallel-size=8"], "--tensor-parallel-size", "8"),
        (["-O0"], "-O", "0"),
        (["-O=3"], "-O", "3"),
        (["-O", "2"], "-O", "2"),
        (["-dpl", "4"], "--data-parallel-size-local", "4"),
        (["--no-enable-prefix-caching"], "--enable-prefix-caching", False),
        (["--no_enable_prefix_caching"], "--enable-prefix-caching", False),
        (["--enable-prefix-caching"], "--enable-prefix-caching", True),
        (["--lora-modules", "a=s3://x", "b=y", "--port", "1"], "--lora-modules", ("a=s3://x", "b=y")),
        (["--kv-transfer-config", '{"a": 1}'], "--kv-transfer-config", '{"a": 1}'),
        (["--seed", "-1"], "--seed", "-1"),
        (["--port"], "--port", None),
        (["--new-flag", "value"], "--new-flag", "value"),
        (["--new-flag=value"], "--new-flag", "value"),
    ],
)
def test_spellings_of_vllm(words: list[str], flag: str, value: object) -> None:
    assert vllm(*words).given[flag] == value


def test_tp_with_a_digit_attached_is_no_spelling() -> None:
    assert "--tensor-parallel-size" not in vllm("-tp4").given


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (["--model-loader-extra-config.concurrency", "8"], {"concurrency": "8"}),
        (["--model_loader_extra_config.memory_limit=9"], {"memory_limit": "9"}),
        (
            ["--model-loader.concurrency", "8", "--model-loader.distributed", "true"],
            {"concurrency": "8", "distributed": "true"},
        ),
    ],
)
def test_dotted_keys(words: list[str], paths: dict[str, str]) -> None:
    assert vllm(*words).dotted == {"--model-loader-extra-config": paths}


def test_a_dot_in_a_value_is_no_path() -> None:
    line = vllm("--gpu_memory_utilization=0.9", "--compilation-config", '{"a.b": 1}')
    assert line.dotted == {}
    assert line.given["--gpu-memory-utilization"] == "0.9"


def test_a_switch_takes_no_word() -> None:
    assert vllm("--enforce-eager", "s3://b/m").positionals == ["s3://b/m"]


def test_two_dashes_end_the_flags() -> None:
    assert vllm("--port", "1", "--", "--not-a-flag").positionals == ["--not-a-flag"]


def test_a_prefix_of_several_flags_names_none() -> None:
    assert VLLM.find("--data-parallel") is None
    assert VLLM.find("--tensor") is not None


def test_a_word_after_a_strange_flag_is_taken_for_its_value() -> None:
    line = vllm("--new-switch", "s3://b/m")
    assert (line.strange, line.swallowed, line.positionals) == (["--new-switch"], ["s3://b/m"], [])


def test_sglang_takes_no_underscores() -> None:
    assert "--tensor-parallel-size" not in read_command_line(["--tp_size", "4"], SGLANG).given


def test_normal_form_is_the_same_for_all_spellings() -> None:
    first = vllm("-tp", "4", "--load_format=auto", "--port", "8000", "--enforce-eager", "--api-key", "secret")
    second = vllm("--enforce-eager", "--load-format", "auto", "--tensor-parallel-size=4")
    irrelevant = frozenset({"--port", "--api-key"})
    assert first.normal(irrelevant) == second.normal(irrelevant)


@given(st.lists(st.text(max_size=12) | st.sampled_from(["--", "-", "-O", "--model", "-tp", "--a.b", "--.x", "-O.x"])))
def test_no_words_at_all_make_the_reader_fail(words: list[str]) -> None:
    for grammar in (VLLM, SGLANG):
        line = read_command_line(words, grammar)
        assert isinstance(line.normal(frozenset()), tuple)
