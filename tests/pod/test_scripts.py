"""What a script decides while it runs is never taken for known."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pod.shells import walk
from tests.pod.small_pods import codes, container, engine_container, facts_of, launch_of, script_facts

UNKNOWN = {
    "an unset name": "vllm $X",
    "a name set in a branch": "X=1\nif true; then X=2; fi\nvllm $X",
    "a name set in a loop": "X=1; for i in 1 2; do X=$i; done; vllm $X",
    "a loop variable": "for X in a b; do :; done; vllm $X",
    "a name set at the end of a loop": "X=1; while true; do vllm $X; X=2; done",
    "a name set from one set later in a loop": "X= Y= Z=1; while true; do vllm $X; X=$Y; Y=$Z; Z=2; done",
    "a name set in the body of the launch's loop": "X=1; until vllm $X; do X=2; done",
    "an array that grows in a loop": "A=(); while true; do vllm ${A[0]}; A+=(x); done",
    "arguments that shift in a loop": "set -- 1 2; while true; do vllm $1; shift; done",
    "a file sourced in a loop": "X=1; while true; do vllm $X; . ./f; done",
    "a name set in a case": "X=1; case $Y in a) X=2;; esac; vllm $X",
    "a name set after a test": "X=1; [ -n a ] && X=2; vllm $X",
    "a name set after a command that may fail": "X=1; ls /m && X=2; vllm $X",
    "a name set further along such a chain": "X=1\ncurl -sf u && cd / && export X=2\nvllm $X",
    "a name unset after a command that may fail": "X=1; a && unset X; vllm $X",
    "a name appended to after a command that may fail": "X=1; a && X+=2; vllm $X",
    "a name set after a search in a pipe": "X=1; nvidia-smi -L | grep -q H100 && X=8; vllm $X",
    "a name set after a test in a subshell": "X=1; (test -f f) && X=2; vllm $X",
    "a name set after the output of a command": "X=1; Y=$(curl u) && X=2; vllm $X",
    "arguments set after a command that may fail": "set -- 1; a && set -- 2; vllm $1",
    "a name set after ||": "X=1; false || X=2; vllm $X",
    "the output of a command": "X=$(hostname); vllm $X",
    "a backquoted command": "vllm `hostname`",
    "a name that is read": "read -r X < file; vllm $X",
    "a name that printf sets": "printf -v X %s y; vllm $X",
    "a name that arithmetic sets": "X=1; (( X = 2 )); vllm $X",
    "a name that let sets": "X=1; let X=2; vllm $X",
    "a name unset in a branch": "X=1; if true; then unset X; fi; vllm $X",
    "a name set by a sourced file": "X=1; . ./settings.sh; vllm $X",
    "a name set by an unknown eval": 'X=1; eval "$(cat f)"; vllm $X',
    "a name set by an unknown export": "X=1; export $(cat f); vllm $X",
    "a name of a conditional function": "X=1; if true; then f() { X=2; }; fi; f; vllm $X",
    "an array element set in a branch": "A=(1); if true; then A[0]=2; fi; vllm ${A[0]}",
    "a default that a controller may overrule": "vllm ${LWS_WORKER_INDEX:-0}",
    "an expansion with a pattern of several wildcards": "X=a/b; vllm ${X##*/*}",
    "an expansion with a class of characters": "X=a/b; vllm ${X%%[a-z]}",
    "an expansion with another name in its pattern": "X=a/b; Y=b; vllm ${X%$Y}",
    "an unset name without its end": "vllm ${X%/}",
    "an anchored replacement": "X=a/b; vllm ${X/#a/c}",
    "a replacement of slashes": "X=a/b; vllm ${X///-}",
    "a slice": "X=abc; vllm ${X:1}",
    "a brace expansion": "vllm {a,b}",
    "a file pattern": "vllm /models/*",
    "another user's home": "vllm ~other/models",
    "words after a change of IFS": "X=a,b; IFS=,; vllm $X",
    "words joined after a change of IFS": 'A=(1 2); IFS=,; vllm "${A[*]}"',
    "words that another IFS may split": "X='a b'; IFS=$'\\n'; vllm $X",
    "octal arithmetic": "X=010; vllm $((X + 1))",
    "a division by nothing": "X=0; vllm $((1 / X))",
}


@pytest.mark.parametrize("script", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_an_unknown_word(script: str) -> None:
    (launch,) = walk(script).launches
    assert launch.words == (None,)
    assert launch.certain


UNCERTAIN = {
    "if": "if true; then vllm m; fi",
    "else": "if true; then :; else vllm m; fi",
    "elif": "if a; then :; elif b; then vllm m; fi",
    "case": "case x in x) vllm m;; esac",
    "for": "for i in 1; do vllm m; done",
    "while": "while a; do vllm m; sleep 1; done",
    "a branch of an endless loop": "while true; do if ! pgrep vllm; then vllm m & fi; sleep 9; done",
    "after a test": "[ -n x ] && vllm m",
    "after a search": "grep -q x f && vllm m",
    "after a search in a pipe": "nvidia-smi | grep -q H100 && vllm m",
    "after ||": "a || vllm m",
    "in a function that a branch calls": "f() { vllm m; }; if true; then f; fi",
    "in a shell that a branch starts": "if true; then bash -c 'vllm m'; fi",
    "in bad syntax": "if true; then vllm m",
}


@pytest.mark.parametrize("script", UNCERTAIN.values(), ids=UNCERTAIN.keys())
def test_an_uncertain_launch(script: str) -> None:
    (launch,) = walk(script).launches
    assert not launch.certain


CERTAIN = {
    "after a branch": "if true; then echo; fi; vllm m",
    "after a wait loop": "until curl -f http://x; do sleep 1; done; vllm m",
    "in an endless loop": "while true; do vllm m; sleep 5; done",
    "in an endless loop that may end": "while :; do vllm m && break; [ -f stop ] && exit; sleep 5; done",
    "in an endless loop whose names stay": "X=m; while true; do N=$((N + 1)); Y=$X; vllm $Y; done",
    "in a loop until false": "until false; do vllm m || true; done 2>&1 | tee log",
    "as a negated condition": "while ! vllm m; do sleep 1; done",
    "as a condition": "until vllm m; do sleep 1; done",
    "in a function that is called": "f() { vllm m; }; f",
    "in a subshell": "(vllm m)",
    "in a group": "{ vllm m; } 2>&1 | tee log",
    "before ||": "vllm m || exit 1",
    "after a command that may fail": "pip install x && vllm m",
    "after exit behind a command that may fail": "a && exit 1\nvllm m",
    "after return behind a command that may fail": "f() { a && return; vllm m; }; f",
    "a name of the same chain": "X=1; ls /m && X=m && vllm $X",
    "a name of a chain that sets up": "cd / && mkdir -p x && pip install y && export X=m\nvllm $X",
    "a name after what may fail but is let go": "{ a || true; } && X=m; vllm $X",
    "a name after ||, and then": "a || true && X=m; vllm $X",
    "after exit in a branch": "[ -n x ] || exit 1\nvllm m",
    "in the background": "vllm m & wait",
}


@pytest.mark.parametrize("script", CERTAIN.values(), ids=CERTAIN.keys())
def test_a_certain_launch(script: str) -> None:
    (launch,) = walk(script).launches
    assert launch.words == ("m",)
    assert launch.certain


@pytest.mark.parametrize(
    "script",
    [
        "f() { vllm m; }",
        "exit 0; vllm m",
        "exec sleep 1\nvllm m",
        "cat <<E > f\nvllm m\nE",
        "echo vllm m",
        "# vllm m",
        "trap 'vllm m' EXIT",
    ],
)
def test_no_launch(script: str) -> None:
    assert walk(script).launches == []


def test_names_are_the_users_wherever_they_are_set() -> None:
    script = "A=1\nexport B=2 C\nif x; then D=3; fi\nE=4 vllm m\nunset F\nread G\nfor H in 1; do :; done\n(I=5)"
    assert walk(script).names == set("ABCDEFGHI")


def test_an_assignment_in_front_of_the_launch_is_its_environment() -> None:
    (launch,) = walk("A=1 vllm m", {"A": "0", "B": "2"}).launches
    assert launch.environment == {"A": "1", "B": "2"}


def test_a_name_that_is_not_exported_does_not_reach_the_program() -> None:
    (launch,) = walk("A=1; B=2; export B; vllm m", {"C": "3"}).launches
    assert launch.environment == {"B": "2", "C": "3"}


def test_a_script_that_sets_an_environment_name_changes_it() -> None:
    (launch,) = walk("A=1; vllm m", {"A": "0"}).launches
    assert launch.environment == {"A": "1"}


# From here on, what becomes of it in a pod. ---------------------------------------------------------------------------


def test_the_scripts_environment_beats_the_pods() -> None:
    facts = script_facts(
        "export RUNAI_STREAMER_CONCURRENCY=32; HF_HOME=/x vllm serve s3://b/m",
        env={"RUNAI_STREAMER_CONCURRENCY": "8", "OTHER": "1"},
    )
    assert engine_container(facts).env.values == {"RUNAI_STREAMER_CONCURRENCY": "32", "OTHER": "1", "HF_HOME": "/x"}


def test_a_name_set_in_a_branch_is_the_users_and_not_known() -> None:
    facts = script_facts("if x; then export RUNAI_STREAMER_CONCURRENCY=32; fi; vllm serve s3://b/m")
    assert engine_container(facts).env.values == {"RUNAI_STREAMER_CONCURRENCY": None}
    assert facts.skips == ()


@pytest.mark.parametrize(
    ("script", "forgotten"),
    [
        ("vllm serve s3://b/m", False),
        ("source /etc/s3.env; vllm serve s3://b/m", True),
        (". ./s3.env && exec vllm serve s3://b/m", True),
        ("set -a; . /vault/secrets/config; set +a; bash -c 'vllm serve s3://b/m'", True),
        ("export $(cat /etc/s3.env); vllm serve s3://b/m", True),
        ('eval "$(cat /etc/s3.env)"; vllm serve s3://b/m', True),
        ("if [ -f e ]; then . ./e; fi; vllm serve s3://b/m", True),
        ("(. ./e); vllm serve s3://b/m", False),
        ("vllm serve s3://b/m; . ./e", False),
        ("source /opt/venv/bin/activate && vllm serve s3://b/m", False),
        ("IFS=,; vllm serve s3://b/m", False),
    ],
)
def test_a_script_that_runs_what_cannot_be_read_may_set_any_name(script: str, forgotten: bool) -> None:  # noqa: FBT001 - a column
    facts = script_facts(script, env={"AWS_REGION": "us-east-1"})
    assert facts.skips == ()
    env = engine_container(facts).env
    assert env.forgotten is forgotten
    assert env.values == {"AWS_REGION": None if forgotten else "us-east-1"} | ({"IFS": None} if "IFS" in script else {})


@pytest.mark.parametrize(
    ("script", "limit"),
    [
        ("vllm serve m", None),
        ("ulimit -n 1024; vllm serve m", 1024),
        ("ulimit -Hn 2048 && vllm serve m", 2048),
        ("ulimit -SHn 4096 || true\nvllm serve m", 4096),
        ("ulimit -n 1024 -l unlimited; vllm serve m", 1024),
        ("ulimit -l unlimited; vllm serve m", None),
        ("ulimit -Sn 1024; vllm serve m", None),
        ("ulimit -n unlimited; vllm serve m", None),
        ("ulimit -n $(ulimit -Hn); vllm serve m", None),
        ("ulimit -n; vllm serve m", None),
        ("ulimit -n 65536; if x; then ulimit -n 1024; fi; vllm serve m", 1024),
        ("ulimit -n 1024; if x; then ulimit -n 65536; fi; vllm serve m", 1024),
        ("(ulimit -n 1024); vllm serve m", None),
        ("ulimit -n 1024; bash -c 'vllm serve m'", 1024),
        ("ulimit -n " + "9" * 5000 + "; vllm serve m", 9999999999),
    ],
)
def test_the_limit_on_open_files_that_the_script_sets(script: str, limit: int | None) -> None:
    assert engine_container(script_facts(script)).open_files == limit


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("vllm serve $UNSET", "unknown-model"),
        ("M=$(cat f); vllm serve $M", "undecidable-script"),
        ("vllm serve s3://b/m $FLAGS", "undecidable-script"),
        ("vllm serve s3://b/m $(cat flags)", "undecidable-script"),
        ("if x; then vllm serve s3://b/m; fi", "undecidable-script"),
        ("vllm serve s3://b/m & vllm serve s3://b/n", "undecidable-script"),
        ("prepare && exec vllm serve s3://b/m\nexec vllm serve s3://b/n", "undecidable-script"),
        ("M=/m; ls /x && M=s3://b/m; vllm serve $M", "undecidable-script"),
        ("env -i vllm serve s3://b/m", "undecidable-script"),
        ("vllm serve", "unknown-model"),
        ("vllm serve --new-switch s3://b/m", "unknown-model"),
        ("python serve.py", "no-engine"),
        ("bash /scripts/start.sh", "no-engine"),
        ("ray start --head --block", "no-engine"),
        ("vllm bench serve --model m", "no-engine"),
        ("vllm chat", "no-engine"),
        ("vllm serve m )", "undecidable-script"),
        ('eval "$LAUNCH"', "undecidable-script"),
    ],
)
def test_what_cannot_be_decided_is_skipped_with_a_reason(script: str, code: str) -> None:
    assert codes(script_facts(script)) == [code]


def test_what_is_certain_of_an_undecidable_script_is_told() -> None:
    facts = script_facts("if x; then vllm serve s3://b/m -tp 4; else vllm serve s3://b/n -tp 4 -pp 2; fi")
    launch = launch_of(facts)
    assert (launch.engine, launch.model, launch.tensor_parallel_size, launch.pipeline_parallel_size) == (
        "vllm",
        None,
        4,
        None,
    )
    assert engine_container(facts).name == "engine"


def test_launches_of_two_engines_leave_none() -> None:
    facts = script_facts("vllm serve s3://b/m & sglang serve s3://b/m")
    assert facts.launch is None
    assert codes(facts) == ["undecidable-script"]


def test_the_reason_names_what_the_model_depends_on() -> None:
    (reason,) = script_facts("vllm serve s3://$BUCKET/m").skips
    assert "$BUCKET" in reason.text


def test_a_long_script_is_given_up_not_followed_forever() -> None:
    script = (
        "f() { g; g; g; g; }; g() { h; h; h; h; }; h() { i; i; i; i; }; i() { f; f; f; f; }; f; vllm serve s3://b/m"
    )
    assert codes(script_facts(script)) in (["undecidable-script"], ["no-engine"])


LOOP = "f() { g; g; g; g; }; g() { h; h; h; h; }; h() { i; i; i; i; }; i() { f; f; f; f; }; f"
LAUNCH = "vllm serve s3://b/m"


def test_the_work_on_all_scripts_of_a_pod_is_bounded_together() -> None:
    loop = {"name": "loop", "command": ["sh", "-c", LOOP]}
    assert codes(facts_of(loop, container(command=["sh", "-c", LAUNCH]))) == ["undecidable-script"] * 2
    assert launch_of(facts_of(container(command=["sh", "-c", LAUNCH]), loop)).model == "s3://b/m"
    assert launch_of(facts_of(loop, container(command=LAUNCH.split()))).model == "s3://b/m"
    named = facts_of(loop, container(command=["sh", "-c", LAUNCH]), annotations={"container": "engine"})
    assert (launch_of(named).model, named.skips) == ("s3://b/m", ())


def test_bad_syntax_run_over_and_over_is_given_up() -> None:
    facts = script_facts(f"A='{'A=(' * 1500}'\n" + 'eval "$A"\n' * 100 + LAUNCH)
    assert codes(facts) == ["undecidable-script"]


def test_many_names_and_many_programs_are_given_up() -> None:
    facts = script_facts("true\n" * 1000 + LAUNCH, env={f"N{number}": "" for number in range(20_000)})
    assert codes(facts) == ["undecidable-script"]


def test_a_script_of_more_than_16_kib_is_said_to_be_too_long() -> None:
    (reason,) = script_facts("A=x\n" * 5_000 + "vllm serve s3://b/m").skips
    assert reason.code == "undecidable-script"
    assert "too long" in reason.text


DOUBLING = {
    "a text": "A=0123456789abcdef\n" + "A=$A$A\n" * 60 + "vllm serve $A",
    "an array": "A=(a b c d)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 60 + 'vllm serve "${A[@]}"',
    "the arguments": "set -- a b c d\n" + 'set -- "$@" "$@"\n' * 60 + 'vllm serve "$@"',
    "words": "A='a a a a'\n" + 'A="$A $A"\n' * 60 + "vllm serve $A",
}


@pytest.mark.parametrize("script", DOUBLING.values(), ids=DOUBLING.keys())
def test_what_doubles_is_given_up(script: str) -> None:
    assert codes(script_facts(script)) == ["undecidable-script"]


FRAGMENTS = st.sampled_from(
    [
        *(
            "vllm",
            "serve",
            "s3://b/m",
            "if",
            "then",
            "fi",
            "do",
            "done",
            "for",
            "in",
            "case",
            "esac",
            "function",
            "f()",
        ),
        *("$(", ")", "((", "))", "{", "}", '"', "'", "`", "|", "&&", "||", ";", "\n", "&", "<<EOF", "EOF", "<<<", ">"),
        *("${", "$A", "${A:-", "=", "A=", "[[", "]]", "#", "\\", "\\\n", "$@", "\ufdd0", "\x00", "\u00e9"),
        *("eval", "exec", "export", "set", "--"),
    ]
)


@settings(max_examples=300)
@given(st.lists(FRAGMENTS, max_size=25), st.sampled_from(["", " "]))
def test_no_script_makes_the_reader_fail(fragments: list[str], joint: str) -> None:
    assert script_facts(joint.join(fragments)).namespace == "serving"


NESTS = [
    "( )",
    "{ ;}",
    "if true; then ;fi",
    "$( )",
    "${A:- }",
    '"$( )"',
    "$(( ))",
    "[[ ]]",
    "'' ''",
    "while a; do ;done",
]


@pytest.mark.parametrize("nest", NESTS)
@pytest.mark.parametrize("closed", [True, False])
def test_deep_nesting_does_not_make_the_reader_fail(nest: str, closed: bool) -> None:  # noqa: FBT001 - a parameter
    opening, _, closing = nest.rpartition(" ")
    script = f"vllm serve {opening * 3000} m {closing * 3000 if closed else ''}"
    assert script_facts(script).namespace == "serving"
    assert script_facts(f"vllm serve m -tp $(({'(' * 3000}1{')' * 3000}))").namespace == "serving"
