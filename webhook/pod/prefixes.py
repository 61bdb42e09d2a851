"""Programs that start another program, taken away from the front of its words.

`env X=1 nohup numactl -N 0 -- vllm serve m` launches `vllm serve m`. Each has options, some with a value in the next
word, and some a fixed number of words before the program.
"""

import shlex
from collections.abc import Sequence

import msgspec

from webhook.pod.unknown import is_known


class Prefix(msgspec.Struct, frozen=True):
    """How a starter's own words end: options with a separate value, then `operands` words, then the program."""

    valued: frozenset[str] = frozenset()
    operands: int = 0
    # A word that must come first, as in `nsys profile`.
    subcommand: str | None = None


def _prefix(valued: str = "", operands: int = 0, subcommand: str | None = None) -> Prefix:
    return Prefix(frozenset(valued.split()), operands, subcommand)


_PREFIXES: dict[str, Prefix] = {
    "exec": _prefix("-a"),
    "command": _prefix(),
    "time": _prefix("-f -o --format --output"),
    "nohup": _prefix(),
    "setsid": _prefix(),
    "nice": _prefix("-n --adjustment"),
    "ionice": _prefix("-c -n -p --class --classdata"),
    "chrt": _prefix("-T -P -D", operands=1),
    "taskset": _prefix(operands=1),
    "stdbuf": _prefix("-i -o -e --input --output --error"),
    "unbuffer": _prefix(),
    "timeout": _prefix("-k -s --kill-after --signal", operands=1),
    "numactl": _prefix(
        "-N -m -C -i -p -P -w --cpunodebind --membind --physcpubind --interleave --preferred --preferred-many"
    ),
    "tini": _prefix("-p -e"),
    "dumb-init": _prefix("-r --rewrite"),
    "catatonit": _prefix(),
    "flock": _prefix("-w -E --wait --timeout --conflict-exit-code", operands=1),
    "gosu": _prefix(operands=1),
    "su-exec": _prefix(operands=1),
    "nsys": _prefix(
        "-o -t -s -y -d -x -f -c -n -b -e -w -p --output --trace --sample --delay --duration --capture-range "
        "--capture-range-end --cuda-graph-trace --force-overwrite --trace-fork-before-exec --session-new --kill "
        "--wait --stats --export --gpu-metrics-devices --cudabacktrace --python-backtrace --pytorch --nic-metrics",
        subcommand="profile",
    ),
    "ncu": _prefix(
        "-o -k -s -c --export --kernel-name --set --section --launch-skip --launch-count --target-processes"
    ),
    "uv": _prefix(
        "-p -w --with --with-requirements --with-editable --python --project --directory --extra --group --env-file "
        "--index --index-url --extra-index-url --package",
        subcommand="run",
    ),
    "conda": _prefix("-n -p --name --prefix --cwd", subcommand="run"),
    "poetry": _prefix(subcommand="run"),
    # Starts Ray on every node, and the program on the first (Ray's documentation).
    "ray": _prefix(
        "--address --min-nodes --num-cpus --num-gpus --resources --labels --node-ip-address --memory",
        subcommand="symmetric-run",
    ),
    "ddtrace-run": _prefix(),
    "opentelemetry-instrument": _prefix(
        "--traces_exporter --metrics_exporter --logs_exporter --service_name --exporter_otlp_endpoint"
    ),
    "standard-supervisor": _prefix(),
    "nvidia_entrypoint.sh": _prefix(),
    "docker-entrypoint.sh": _prefix(),
}
_SUDO = _prefix(
    "-C -D -g -h -p -R -r -T -t -U -u --close-from --chdir --group --host --prompt --chroot --role --command-timeout "
    "--type --other-user --user"
)
_SUDO_KEEPS = frozenset({"-E", "--preserve-env"})
_LONGEST_SPLIT = 1 << 14
_ENV_SPLITS = ("-S", "--split-string")
_ENV_VALUED = frozenset({"-u", "--unset", "-C", "--chdir"})
_ENV_CLEARS = frozenset({"-i", "-", "--ignore-environment"})
_MOST = 16


class Unwrapped(msgspec.Struct, frozen=True):
    """The program's own words, the environment that `env` gave it, and whether `env` took all other away."""

    argv: list[str]
    assigned: dict[str, str]
    cleared: bool = False


def unwrap(argv: Sequence[str]) -> Unwrapped:
    """Takes starters away from the front of a command line, as far as their words are known."""
    words, assigned, cleared = list(argv), {}, False
    for _ in range(_MOST):
        name = words[0].rpartition("/")[2] if words else ""
        if name == "env":
            words, given, clears = _after_env(words)
            assigned.update(given)
            cleared |= clears
        elif name == "sudo":
            rest = _after(words, _SUDO)
            if rest is None:
                break
            cleared |= _SUDO_KEEPS.isdisjoint(words[: len(words) - len(rest)])
            # Assignments may follow, as in `env`.
            words = ["env", *rest]
        elif name in _PREFIXES:
            rest = _after(words, _PREFIXES[name])
            if rest is None:
                break
            words = rest
        else:
            break
    return Unwrapped(words, assigned, cleared)


def _after(words: list[str], prefix: Prefix) -> list[str] | None:
    at = 1
    if prefix.subcommand is not None:
        if words[1:2] != [prefix.subcommand]:
            return None
        at = 2
    while at < len(words) and words[at][:1] == "-" and words[at] != "--":
        at += 2 if words[at] in prefix.valued else 1
    at += prefix.operands
    if words[at : at + 1] == ["--"]:
        return words[at + 1 :]
    # A word that is not known may stand for any number of words; only `--` would still tell where the program begins.
    return words[at:] if all(map(is_known, words[:at])) else None


def _split(text: str) -> list[str]:
    """The words that `env -S` makes of a text, in quotes as in a shell; the text itself where that cannot be told."""
    try:
        return shlex.split(text) if len(text) <= _LONGEST_SPLIT else [text]
    except ValueError:
        return [text]


def _after_env(words: list[str]) -> tuple[list[str], dict[str, str], bool]:
    """`env [options] NAME=VALUE... PROGRAM`; a name taken away by -u counts as assigned, and empty."""
    at, given, cleared, splits = 1, {}, False, 0
    while at < len(words):
        word = words[at]
        # Each split copies the line, so a line of nothing else is not followed.
        if word in _ENV_SPLITS and at + 1 < len(words) and splits < _MOST:
            words = [*words[:at], *_split(words[at + 1]), *words[at + 2 :]]
            splits += 1
            continue
        name, equals, value = word.partition("=")
        if word in _ENV_CLEARS:
            cleared = True
        elif word in _ENV_VALUED:
            if word in ("-u", "--unset"):
                given.update(dict.fromkeys(words[at + 1 : at + 2], ""))
            at += 1
        elif word == "--":
            return words[at + 1 :], given, cleared
        elif word[:1] == "-":
            given.update({value: ""} if name == "--unset" else {})
        elif equals:
            given[name] = value
        else:
            break
        at += 1
    return words[at:], given, cleared
