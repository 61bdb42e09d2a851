"""`make contract`: checks what fastload knows of the engines against their releases, and writes docs/contract.md."""

import sys
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.contract.checks import check
from benchmarks.contract.fetch import fetch
from benchmarks.contract.findings import Findings
from benchmarks.contract.page import claim_lines, page
from benchmarks.contract.releases import Project, Release, ReleaseError, releases
from benchmarks.contract.sources import Sources

_PAGE = Path(__file__).parents[2] / "docs" / "contract.md"


def main() -> int:
    """Returns 0 where every claim holds, 1 where one fails, and 2 where a release could not be had."""
    try:
        _say("asking which releases there are")
        folders = fetch(releases(), _say)
    except ReleaseError as error:
        _say(str(error))
        return 2
    found = _check(folders)
    _PAGE.write_text(page(found))
    _say(f"wrote docs/{_PAGE.name}")
    return 0 if all(claim.holds for each in found for claim in each.claims) else 1


def _check(folders: Mapping[Release, Path]) -> list[Findings]:
    sources = {release: Sources(folder) for release, folder in folders.items()}
    newest: dict[Project, Sources] = {}
    for release, each in sources.items():
        newest.setdefault(release.project, each)
    found = []
    for project in Project:
        started = time.monotonic()
        versions = {release.version: each for release, each in sources.items() if release.project is project}
        others = [each for other, each in newest.items() if other is not project]
        found.append(check(project, versions, others))
        print(f"\n{project.label} {', '.join(versions)}", *claim_lines(found[-1].claims), sep="\n", flush=True)
        _say(f"({time.monotonic() - started:.0f} s)")
    return found


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
