"""What the cases conclude, from pods that only leave a file in their cache."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.lab.compile.cases import FIRST, NEXT, TENANT, Lab, first_and_next, tenants
from benchmarks.lab.compile.ended import Ended
from benchmarks.lab.compile.findings import Findings, Shows
from benchmarks.lab.compile.machine import Machine
from benchmarks.lab.compile.pods import Planned
from benchmarks.lab.compile.trace import Touched

NOTHING = frozenset[str]()
PLANNED = {pod: Planned(pod, {}, {"/cache": f"/mnt/fastload/{pod.namespace}/key"}) for pod in (FIRST, NEXT, TENANT)}


class Pretended(Machine):
    """A machine whose pods compile where their cache is empty; `opened` is what each opens, None without strace."""

    opened: frozenset[str] | None = NOTHING

    def run(self, planned: Planned, disk: Path, *, traced: bool = False) -> Ended:
        cache = disk / planned.cache.lstrip("/")
        hit = cache.exists()
        cache.mkdir(parents=True, exist_ok=True)
        if not hit:
            (cache / "graph").write_text(planned.pod.namespace)
        counters = {"graph_hits": int(hit), "graph_misses": int(not hit), "graph_bypasses": 0, "autograd_misses": 0}
        touched = Touched(self.opened, NOTHING) if traced and self.opened is not None else None
        return Ended(0, {"right": True, "seconds": 1.0, "counters": counters}, "", int(not hit), (), touched)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    machine = Pretended(tmp_path, Path("python"), Path("base"), "g++", None)
    return Lab(machine, 1, dict(PLANNED))


def found_by(case: Callable[[Lab, Findings], None], lab: Lab) -> Findings:
    found = Findings()
    case(lab, found)
    return found


def of(claim: Shows, kept: list[tuple[str, str]]) -> list[str]:
    return [said for name, said in kept if name == claim.name]


def opening(lab: Lab, paths: frozenset[str] | None) -> Lab:
    assert isinstance(lab.machine, Pretended)
    lab.machine.opened = paths
    return lab


def test_namespaces_with_folders_of_their_own_share_nothing(lab: Lab) -> None:
    found = found_by(tenants, lab)
    assert found.shown
    assert not found.against + found.unmeasured


def test_one_folder_for_two_namespaces_is_noticed(lab: Lab) -> None:
    lab.planned[TENANT] = replace(PLANNED[TENANT], volumes=PLANNED[FIRST].volumes)
    assert of(Shows.TENANTS, found_by(tenants, lab).against)


def test_a_pod_that_opens_what_is_anothers_is_noticed(lab: Lab) -> None:
    found = found_by(tenants, opening(lab, frozenset({"/mnt/fastload/team-a/key/graph"})))
    assert of(Shows.TENANTS, found.against) == [
        f"{which} pod: opened 1 paths of the node's folders" for which in ("first", "next")
    ]


@pytest.mark.parametrize(("case", "claim"), [(first_and_next, Shows.PLACE), (tenants, Shows.TENANTS)])
def test_without_strace_it_is_said_what_was_not_looked_at(
    lab: Lab, case: Callable[[Lab, Findings], None], claim: Shows
) -> None:
    found = found_by(case, opening(lab, None))
    assert not found.against
    assert "strace is not installed" in of(claim, found.unmeasured)[0]


def test_a_plan_without_a_cache_is_said_by_the_pods_name(lab: Lab) -> None:
    lab.planned[NEXT] = replace(PLANNED[NEXT], volumes={})
    with pytest.raises(RuntimeError, match=f"{NEXT.name} got no cache"):
        found_by(first_and_next, lab)
