"""Programs that start the engine are taken away from the front of its words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.pod.prefixes import unwrap
from webhook.pod.unknown import outside


@pytest.mark.parametrize(
    "line",
    [
        "vllm serve m",
        "exec vllm serve m",
        "nohup vllm serve m",
        "env A=1 B=2 vllm serve m",
        "env -u A --chdir /x -- vllm serve m",
        "/usr/bin/env vllm serve m",
        "numactl -N 0 --membind=0 -- vllm serve m",
        "numactl --cpunodebind 0 vllm serve m",
        "nice -n 5 ionice -c 2 vllm serve m",
        "taskset -c 0-7 vllm serve m",
        "stdbuf -oL -eL vllm serve m",
        "timeout -k 5 --signal=TERM 1h vllm serve m",
        "tini -s -- vllm serve m",
        "/usr/bin/tini -g -- vllm serve m",
        "dumb-init vllm serve m",
        "nsys profile -t cuda,nvtx --trace-fork-before-exec=true -o /tmp/r vllm serve m",
        "uv run --with vllm -p 3.12 --no-sync vllm serve m",
        "conda run --no-capture-output -n vllm vllm serve m",
        "standard-supervisor vllm serve m",
        "/opt/nvidia/nvidia_entrypoint.sh vllm serve m",
        "ray symmetric-run --address 10.0.0.1:6379 --min-nodes=2 -- vllm serve m",
        "flock /var/lock/gpu vllm serve m",
        "flock -w 600 -x /var/lock/gpu vllm serve m",
        "sudo -E -u vllm vllm serve m",
        "sudo --preserve-env A=1 vllm serve m",
        "time -p nohup env A=1 vllm serve m",
    ],
)
def test_a_prefix_is_taken_away(line: str) -> None:
    assert unwrap(line.split()).argv == ["vllm", "serve", "m"]


@pytest.mark.parametrize(
    "line", ["nsys stats vllm serve m", "uv pip install vllm", "conda activate vllm", "unknown vllm serve m"]
)
def test_what_is_no_prefix_stays(line: str) -> None:
    assert unwrap(line.split()).argv == line.split()


def test_env_gives_the_program_its_environment() -> None:
    line = unwrap(["env", "A=1", "-u", "B", "nohup", "env", "C=x=y", "vllm"])
    assert (line.assigned, line.cleared) == ({"A": "1", "B": "", "C": "x=y"}, False)


@pytest.mark.parametrize("option", ["-i", "-", "--ignore-environment"])
def test_env_may_clear_the_environment(option: str) -> None:
    assert unwrap(["env", option, "A=1", "vllm"]).cleared


@pytest.mark.parametrize(
    ("words", "argv", "assigned"),
    [
        (["-S", "vllm serve m"], ["vllm", "serve", "m"], {}),
        (["-S", "A='x y' vllm serve", "m"], ["vllm", "serve", "m"], {"A": "x y"}),
        (["--split-string", "-u B -- vllm", "serve"], ["vllm", "serve"], {"B": ""}),
        (["-S", "vllm 'serve"], ["vllm 'serve"], {}),
        (["-S"], [], {}),
        # Of splits without end, no more are made: what the last would give is not seen.
        ([*["-S", "A=1"] * 30_000, "-S", "vllm serve m"], ["vllm serve m"], {"A": "1"}),
    ],
)
def test_env_may_split_a_text(words: list[str], argv: list[str], assigned: dict[str, str]) -> None:
    line = unwrap(["env", *words])
    assert (line.argv, line.assigned) == (argv, assigned)


@pytest.mark.parametrize(("line", "cleared"), [("sudo vllm", True), ("sudo -E vllm", False), ("sudo -u x vllm", True)])
def test_sudo_clears_the_environment_unless_it_is_to_keep_it(line: str, cleared: bool) -> None:  # noqa: FBT001 - a column
    assert unwrap(line.split()).cleared is cleared


def test_unknown_words_of_a_prefix_stop_the_search() -> None:
    words = ["numactl", outside("OPTIONS"), "vllm", "serve", "m"]
    assert unwrap(words).argv == words[1:] or unwrap(words).argv == words


@given(
    st.lists(
        st.sampled_from(
            ["env", "exec", "nsys", "profile", "sudo", "-E", "-S", "--", "-n", "A=1", "timeout", "vllm", "", "-"]
        ),
        max_size=40,
    )
)
def test_no_words_make_it_fail(words: list[str]) -> None:
    assert isinstance(unwrap(words).argv, list)
