"""The cases in which something goes wrong: many pods at once, one killed while it writes, damaged files."""

import shutil
import time
from pathlib import Path

from benchmarks.lab.compile.cases import FIRST, NEXT, TORCHS_OWN, Lab
from benchmarks.lab.compile.files import Damage, Kind, damage, kind_of, snapshot
from benchmarks.lab.compile.findings import Findings, Shows

_AT_ONCE = 4
_GLANCE = 0.001  # seconds between two looks at a folder that is being filled
# When a pod is killed: as soon as its folder holds a file of this kind.
_MOMENTS = (Kind.LIBRARY, Kind.WRAPPER, Kind.GRAPH)
_BENIGN = (Kind.GRAPH, Kind.AUTOGRAD, Kind.SOURCE, Kind.LOCK)
# What the compiler of C++ writes, at its final place and bit by bit; torch renames all else into place.
_COMPILERS = Kind.LIBRARY
_SEED = 6


def at_once(lab: Lab, found: Findings) -> None:
    """Four first pods of a template on an empty node."""
    disk, planned = lab.machine.node("at-once"), lab.planned[FIRST]
    starts = [lab.machine.start(planned, disk) for _ in range(_AT_ONCE)]
    for number, start in enumerate(starts, 1):
        ended = start.wait()
        found.check(Shows.AT_ONCE, f"pod {number}: {ended.brief()}", holds=ended.well)
    after = lab.machine.run(planned, disk)
    found.check(Shows.AT_ONCE, f"the pod after them: {after.brief()}", holds=after.compiled_nothing)
    found.rows.append(("after four first pods at once", after.brief(), "all five start"))


def killed(lab: Lab, found: Findings) -> None:
    """A first pod that is killed at several moments, and the next ones on what it left."""
    planned = lab.planned[NEXT]
    for kind in _MOMENTS:
        disk = lab.machine.node("killed")
        folder = disk / planned.cache.lstrip("/")
        start = lab.machine.start(lab.planned[FIRST], disk)
        while start.running and not _holds(folder, kind):
            time.sleep(_GLANCE)
        start.kill()
        cut = start.wait()
        moment = f"killed at its first {kind}, with {len(snapshot(folder))} files written"
        after, last = lab.machine.run(planned, disk), lab.machine.run(planned, disk)
        found.rows.append((f"after a pod {moment}", after.brief(), "starts" if after.well else "DOES NOT START"))
        if kind is _COMPILERS and not after.well:
            again = "starts" if last.well else "fails as well"
            found.limits.append(f"{moment}: the next pod {after.brief()}; the one after it {again}")
            continue
        found.check(Shows.KILLED, f"{moment}; next pod: {after.brief()}", holds=after.well and cut.code != 0)
        found.check(Shows.KILLED, f"{moment}; the pod after: {last.brief()}", holds=last.compiled_nothing)


def damaged(lab: Lab, found: Findings) -> None:
    """Next pods on caches with damaged files, kind by kind."""
    for kind in Kind:
        _damaged(lab, found, (kind,), tuple(Damage))


def damaged_briefly(lab: Lab, found: Findings) -> None:
    """The same once, with all kinds damaged that a start gets past."""
    _damaged(lab, found, _BENIGN, (Damage.HALF,))


def _damaged(lab: Lab, found: Findings, kinds: tuple[Kind, ...], ways: tuple[Damage, ...]) -> None:
    """Starts a pod for each way of damage, all at once, because most of a start waits for one core."""
    planned, warm = lab.planned[NEXT], lab.warm()
    running = []
    for how in ways:
        disk = lab.machine.node(f"damaged-{how.name.lower()}")
        folder = planned.cache.lstrip("/")
        shutil.copytree(warm / folder, disk / folder)
        count = damage(disk / folder, kinds, how, _SEED)
        if count:
            running.append((f"{count} files {how} ({', '.join(kinds)})", disk, lab.machine.start(planned, disk)))
    for what, disk, start in running:
        ended = start.wait()
        found.rows.append((what, ended.brief(), "starts" if ended.well else "DOES NOT START"))
        if set(kinds) <= set(_BENIGN):
            found.check(Shows.DAMAGED, f"{what}: {ended.brief()}", holds=ended.well)
        elif not ended.well:
            again = "fails as well" if not lab.machine.run(planned, disk).well else "starts"
            found.limits.append(f"{what}: the next pod {ended.brief()}; the one after it {again}")


def headers(lab: Lab, found: Findings) -> None:
    """A first and a next pod with torch's own choice of precompiled headers, which it keeps in /tmp."""
    disk, planned = lab.machine.node("headers"), lab.planned[TORCHS_OWN]
    lab.machine.run(planned, disk)
    after = lab.machine.run(planned, disk)
    left = [path for path in after.outside if path.endswith(".gch")]
    if left:
        found.limits.append(
            f"precompiled headers, which CPUs alone need, lie in {left[0].rsplit('/', 1)[0]} whatever the environment "
            f"says, so the next pod makes them again ({after.brief()}, {after.seconds:.1f} s)"
        )
    found.rows.append(("next pod, torch's own choice of precompiled headers", after.brief(), "makes the header again"))


def _holds(folder: Path, kind: Kind) -> bool:
    """Whether a folder that is being filled meanwhile holds a file of this kind."""
    try:
        return any(kind_of(str(path.relative_to(folder))) is kind for path in folder.rglob("*"))
    except FileNotFoundError:
        return False
