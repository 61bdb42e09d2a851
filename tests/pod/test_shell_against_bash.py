"""What a script starts is what bash starts: the same scripts, walked here and run there."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.pod.shells import walk

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="there is no bash to compare with")

ENVIRONMENT = {"ONE": "see/", "TWO": "l1 l2", "EMPTY": ""}
ARGUMENTS = ("p 1", "p2")
# A stand-in for the engine: its words, each ended by a unit separator, then a record separator.
STAND_IN = "#!/bin/sh\nfor word; do printf '%s\\037' \"$word\"; done; printf '\\036'\n"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    stand_in = folder / "vllm"
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    return folder


def run(script: str, programs: Path) -> list[tuple[str, ...]]:
    """The words of each start, as the shell itself makes them."""
    done = subprocess.run(
        [BASH or "", "-c", script, "bash", *ARGUMENTS],
        env={**ENVIRONMENT, "PATH": f"{programs}:/usr/bin:/bin"},
        cwd=programs,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    return [tuple(record.split("\x1f")[:-1]) for record in done.stdout.split("\x1e")[:-1]]


def agree(script: str, programs: Path) -> None:
    found = walk(script, ENVIRONMENT, *ARGUMENTS)
    assert not found.bad_syntax
    assert not found.unknown
    assert [launch.words for launch in found.launches] == run(script, programs)
    assert all(launch.certain for launch in found.launches)


SCRIPTS = {
    "plain": "vllm serve m --a b",
    "continuations": "vllm \\\n  serve \\\n  m",
    "a continuation at the very end": "vllm serve \\\n  m \\\n",
    "comments": "# first\nvllm serve x # trailing \\\nvllm serve y\n# last",
    "comment inside continuation": "vllm serve x \\\n# a comment\necho done",
    "quotes": r"""vllm "a\"b" 'c\d' "\$x" a\ b $'q\nz' "  $ONE  $TWO  " "a'b" "a\\b" "\a" 'it'"'"'s'""",
    "splitting": 'vllm $TWO "$TWO" $TWO"tail" head$TWO "" "$EMPTY" $EMPTY x',
    "assignments of one line, then a command": 'A=1 B="x $ONE  y" C=(a "b c" $TWO)\nC+=(--z)\nvllm $A "$B" "${C[@]}"',
    "assignments line by line": "A=1\nB=$A$ONE\nA+=2\nvllm $A $B",
    "arrays": 'A=(1 2); A+=(3); B=("${A[@]}" x); vllm ${B[@]} ${B[0]} "${A[*]}" ${A[*]}',
    "arrays that may be empty": 'A=(); B=(x "y z"); vllm "${A[@]+"${A[@]}"}" "${B[@]+"${B[@]}"}" "${@:-none}"',
    "array with comments": 'A=(--model m\n  # a comment\n  "--json={\\"a\\": [1,2]}"\n)\nvllm "${A[@]}" --last',
    "defaults": 'vllm "${ONE:-d}" ${NOPE:-"a b" c} "${NOPE:-a b}" ${NOPE:=dd} $NOPE',
    "defaults of empty names": 'vllm ${EMPTY:-e} "${EMPTY-f}" ${ONE:+y} ${NOPE:+n} ${EMPTY:+n} ${EMPTY+y}',
    "ends and starts cut off": (
        "A=s3://b/m/; B=a:b:c; "
        'vllm "${A%/}" ${A#s3://} ${A##*/} "${A%%/*}" ${A#*/} ${A%/*} ${A%x} ${A#x} ${B%%:*} ${B%:*} ${B#*:} ${B##*:} '
        '"${B%%*}" "${B#*}" "${B##*}" "${B%*}" ${B%b*c} ${B%%b*c} ${B#a*:b} ${TWO%2} "${TWO# l}" "${EMPTY%x}"'
    ),
    "replacements": (
        'A=a/b-a/b; vllm ${A/a/x} ${A//a/x} ${A/a} ${A//b/} ${A/-/ } "${A/-/ }" ${A/z/y} ${TWO/l1 /} ${A/b/c/d}'
    ),
    "nested default": 'vllm "${NOPE:-${ONE:-x}}" ${NOPE:-$TWO} "${NOPE:-"quoted default"}"',
    "arithmetic": "A=$((2*3)); B=$(( (5-7)/2 )); vllm $A $B $((A+B%4)) $(( -7 / 2 )) $((A > B && B < 9))",
    "functions": 'f() { local x=$1; shift; vllm "$x" "$@"; }\nf one two "three four"\nfunction g { vllm g; }; g',
    "exit within a function": "f() { vllm one; exit 0; }\nf\nvllm never",
    "return from a function": "f() { vllm one; return 0; vllm never; }\nf\nvllm two",
    "positional parameters": 'vllm "$@" $# "$1" $*; set -- a "b c" d; shift; vllm "$@"',
    "exec ends the script": "exec vllm ex\nvllm never",
    "eval": "X=\"--a 1 --b '2 3'\"; eval vllm $X; vllm $X",
    "shell within a shell": 'bash -c "vllm nested $ONE"; bash -c \'vllm "$0" "$@"\' zero one',
    "here-document for a shell": "bash <<EOF\nvllm $ONE \\$TWO\nEOF\nbash <<'EOF'\nvllm $ONE\nEOF",
    "here-document to a file that is run": "cat > r.sh <<'E'\nvllm from-file $1\nE\nbash r.sh",
    "here-document that is not run": "cat <<'E' > a.yaml\nvllm never\nE\nvllm --config a.yaml",
    "here-document and then": "cat <<E >/dev/null && vllm after\nhello $ONE\nE",
    "here-string": 'vllm m <<< "input words"',
    "pipes and redirections": "vllm a 2>/dev/null | cat; { vllm b; } 2>&1; vllm c >&1",
    "background": "vllm bg &\nwait\nvllm fg",
    "subshell": '(Q=1; vllm "$Q"); vllm "${Q:-unset}"',
    "lists": "true && vllm a || echo failed; cd / && vllm b",
    "a chain that sets up": 'mkdir -p x && cd x && A=1 && vllm "$A"; vllm "$A"; { false || true; } && A=2; vllm "$A"',
    "an endless loop that ends": 'while true; do B=$ONE; vllm "$B"; exit; done; vllm never',
    "harmless branches": "if true; then :; fi\nfor i in 1 2; do : $i; done\nuntil true; do sleep 1; done\nvllm z",
    "declarations": 'declare -x N=5; readonly R=6; typeset P=7; export T="two words"; vllm $N $R $P "$T"',
    "unset": 'unset ONE; vllm "x${ONE}y"',
    "negation and tests": '[ -n "$ONE" ] && Z=1\n! vllm y\n[[ $ONE == s* ]]\nvllm q',
    "strict mode": "set -euo pipefail\nset -x\nvllm m",
    "odd words": "vllm --host=0.0.0.0 --a=[1,2] --c=a,b --d a=b s3://A/b -- -x",
    "newlines in quotes": 'vllm "a\nb" "c\\\nd"',
    "words that another IFS leaves whole": "IFS=$'\\n\\t'; A=s3://b/m; vllm $A ${A} \"$TWO\"",
    "multi-line variable": 'args="--x 1\n--y 2"\nvllm $args',
    "inline environment keeps the old value": 'ONE=new vllm "$ONE"; vllm "$ONE"',
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_a_script_starts_what_bash_starts(script: str, programs: Path) -> None:
    agree(script, programs)


ATOMS = st.sampled_from(
    [
        *(
            "m",
            "--tp",
            "--a=b",
            "s3://b/m",
            "'x y'",
            '"x y"',
            "a\\ b",
            "'{\"k\": [1, 2]}'",
            '""',
            "\\\n  --x",
            "'$ONE'",
        ),
        *("$ONE", '"$TWO"', "$TWO", "$EMPTY", "${ONE}z", "$A", '"$B"', '"\\$A"', '"${ARR[@]}"', '"$@"', "$((3 * 2))"),
        *("${A:-d}", '"${B:-d e}"', "${ONE:+'q r'}"),
    ]
)
# A continuation right after `=` is an empty value to bash, and not followed here.
VALUES = ATOMS.filter(lambda atom: "\n" not in atom)
LINE = st.lists(ATOMS, min_size=1, max_size=6).map(" ".join)
STATEMENT = st.one_of(
    LINE.map(lambda line: f"vllm {line}"),
    st.tuples(st.sampled_from("AB"), VALUES).map("=".join),
    st.tuples(st.sampled_from("AB"), VALUES).map("+=".join),
    LINE.map(lambda line: f"ARR=({line})"),
    LINE.map(lambda line: f"ARR+=({line})"),
    VALUES.map(lambda atom: f"export A={atom}"),
    LINE.map(lambda line: f"set -- {line}"),
    LINE.map(lambda line: f"A=1 B=2 vllm {line}"),
    st.sampled_from(["A=1 B=x", "unset A", "cd /", "# comment", "set -u +u", "true", ""]),
    LINE.map(lambda line: f"f() {{ vllm {line} \"$1\"; }}; f '1 2'"),
    LINE.map(lambda line: f"( A=sub; vllm {line} )"),
    LINE.map(lambda line: f"eval \"A='e e'\"; vllm {line} | cat"),
    # Arrays do not reach another shell, where the name might then be the image's.
    LINE.filter(lambda line: "ARR" not in line).map(
        lambda line: f"cat > w.sh <<'EOF'\nvllm {line}\nEOF\nbash ./w.sh 'a a' b; . ./w.sh"
    ),
)
SEPARATOR = st.sampled_from(["\n", "; ", "\n\n", " \n# note\n"])


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(STATEMENT, SEPARATOR), min_size=1, max_size=6))
def test_any_script_starts_what_bash_starts(programs: Path, parts: list[tuple[str, str]]) -> None:
    # Names start out set, so that nothing hangs on what the environment may hold beside the pod's own.
    script = "export A= B=; ARR=()\n" + "".join(
        statement + ("\n" if "\n" in statement or statement.startswith("#") or not statement else separator)
        for statement, separator in parts
    )
    agree(script, programs)
