"""Runs each target for a while and says what came of it: `python -m fuzz --seconds 60 [TARGET ...]`.

What was found lies below `build/fuzz/TARGET`: inputs that reached something new, inputs that broke a rule (`crash-*`)
or took more than ten seconds (`timeout-*`), and the slowest. The status is 1 where a rule was broken.
"""

import argparse
import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from fuzz.seeds import seeds
from fuzz.targets import TARGETS

_BUILD = Path(__file__).parents[1] / "build" / "fuzz"
_LONGEST_BYTES = {"review": 32_768, "pod": 16_384, "shell": 16_384, "manifest": 16_384}
_TIMEOUT_SECONDS = 10
_MEMORY_MIB = 2_048


def main() -> None:
    """Runs the targets that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzzes what reads strangers' bytes.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    asked = parser.parse_args()
    unknown = set(asked.targets) - TARGETS.keys()
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    print(f"{'target':<12}{'inputs':>10}{'crashes':>9}{'slowest':>10}", flush=True)
    broken = [_fuzz(target, asked.seconds) for target in asked.targets or TARGETS]
    sys.exit(any(broken))


def _fuzz(target: str, seconds: int) -> bool:
    """Fuzzes one target, prints its line, and tells whether a rule was broken."""
    folder = _BUILD / target
    corpus, report = folder / "corpus", folder / "report.json"
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in seeds(target):
        (corpus / sha256(seed).hexdigest()[:16]).write_bytes(seed)
    before = set(folder.iterdir())
    with (folder / "log").open("wb") as log:
        ended = subprocess.run(_command(target, seconds, corpus, report), stdout=log, stderr=log, check=False)
    told = json.loads(report.read_text()) if report.exists() else {"inputs": 0, "slowest_seconds": 0.0}
    found = sorted(path.name for path in set(folder.iterdir()) - before if "-" in path.name)
    print(f"{target:<12}{told['inputs']:>10}{len(found):>9}{told['slowest_seconds']:>9.3f}s", flush=True)
    if ended.returncode:
        print(f"  see {folder}/log {' '.join(found)}", flush=True)
    return ended.returncode != 0


def _command(target: str, seconds: int, corpus: Path, report: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "fuzz.one", target, str(report)),
        f"-max_total_time={seconds}",
        f"-max_len={_LONGEST_BYTES.get(target, 4_096)}",
        f"-timeout={_TIMEOUT_SECONDS}",
        f"-rss_limit_mb={_MEMORY_MIB}",
        f"-artifact_prefix={corpus.parent}/",
        str(corpus),
    ]


if __name__ == "__main__":
    main()
